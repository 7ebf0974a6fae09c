import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { betterAuth } from 'better-auth/minimal';
import { organization } from 'better-auth/plugins/organization';
import { defaultRoles, memberAc } from 'better-auth/plugins/organization/access';
import type { IdPrefix } from '../../../contract/ids.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import * as identity from '../../store/schema/identity.ts';
import {
  ADDRESS_HEADER,
  MAX_PASSWORD_CHARACTERS,
  MIN_PASSWORD_CHARACTERS,
  SESSION_COOKIE,
} from './session-constants.ts';
import { openSession } from './open-session.ts';

/**
 * better-auth stores people, passwords (scrypt) and sessions, but Parley does not mount its endpoints. The file
 * sessions.ts converts its results to our types. Named queries write rows that must commit together with our own rows
 * (the first owner, an accepted invitation), in the format of better-auth's tables.
 */
const DAY_SECONDS = 86_400;

const PREFIXES: Record<string, IdPrefix> = {
  user: 'user',
  session: 'session',
  account: 'account',
  verification: 'verify',
  organization: 'org',
  member: 'member',
  invitation: 'invite',
};

export type AuthLog = (level: 'error' | 'warn', message: string) => void;

/** The options that decide which tables and columns exist, without the database. */
export const authShape = () => ({
  appName: 'Parley',
  session: {
    // Only open-session.ts writes the additional fields.
    additionalFields: {
      signInOrgId: { type: 'string' as const, required: false, input: false },
      signInFactor: { type: 'boolean' as const, required: true, defaultValue: false, input: false },
    },
  },
  plugins: [
    openSession,
    organization({
      // The file contract/dashboard/routes.ts defines the role that a route requires. In better-auth, the role `viewer`
      // only has to exist.
      roles: { ...defaultRoles, viewer: memberAc },
      creatorRole: 'owner',
    }),
  ],
});

export const createAuth = (deps: { db: Db; secret: string; baseUrl: string; log: AuthLog }) =>
  betterAuth({
    ...authShape(),
    secret: deps.secret,
    baseURL: deps.baseUrl,
    basePath: '/dashboard/api/auth',
    database: drizzleAdapter(deps.db, { provider: 'pg', schema: identity, transaction: true }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: MAX_PASSWORD_CHARACTERS,
    },
    session: {
      ...authShape().session,
      expiresIn: 7 * DAY_SECONDS,
      updateAge: DAY_SECONDS,
      // Every request queries the database for its session. A sign-out, an ended session or a removed person takes
      // effect on the next request.
      cookieCache: { enabled: false },
    },
    // Parley's own rate limit is checked before every attempt (sign-in-limit.ts).
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      // The option would add the prefix `__Secure-` to the name of the cookie. The prefix `__Host-` is stricter,
      // because the cookie is valid for this host only, with https or on localhost.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: { session_token: { name: SESSION_COOKIE } },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(PREFIXES[model] ?? 'verify') },
    },
    logger: {
      // The library's log lines contain no addresses, and a single wrong password needs no log line.
      level: 'error',
      log: (level, message) => {
        if (level === 'error' || level === 'warn') deps.log(level, message);
      },
    },
  });

export type Auth = ReturnType<typeof createAuth>;
