import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { betterAuth } from 'better-auth/minimal';
import { organization } from 'better-auth/plugins/organization';
import { defaultRoles, memberAc } from 'better-auth/plugins/organization/access';
import type { IdPrefix } from '../../../contract/ids.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import * as identity from '../../store/schema/identity.ts';
import { openSession } from './open-session.ts';

/**
 * better-auth keeps people, passwords (scrypt) and sessions; its own endpoints are not mounted. What it answers is
 * put into our shapes by sessions.ts, and rows that must commit together with facts of ours (the first owner, an
 * accepted invitation) are written by named queries in the form of these tables.
 */
export const SESSION_COOKIE = '__Host-parley_session';

/** The client's address, as Fastify found it; better-auth must not read forwarded headers by itself. */
export const ADDRESS_HEADER = 'x-parley-address';

export const MIN_PASSWORD_CHARACTERS = 10;
export const MAX_PASSWORD_CHARACTERS = 128;
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

/** Options apart from the database: what decides which tables and columns there are. */
export const authShape = () => ({
  appName: 'Parley',
  session: {
    // Written by open-session.ts alone.
    additionalFields: {
      signInOrgId: { type: 'string' as const, required: false, input: false },
      signInFactor: { type: 'boolean' as const, required: true, defaultValue: false, input: false },
    },
  },
  plugins: [
    openSession,
    organization({
      // Which route asks for which role is said in contract/dashboard/routes.ts; here a viewer must only be known.
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
      // Every request asks the database: signing out, ending a session or removing a person holds on the very next one.
      cookieCache: { enabled: false },
    },
    // Our own limiter stands before every attempt (sign-in-limit.ts).
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      // The prefix `__Secure-` would come before our name; `__Host-` is stricter: this host alone, every path, https or localhost.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: { session_token: { name: SESSION_COOKIE } },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(PREFIXES[model] ?? 'verify') },
    },
    logger: {
      // Its lines hold no addresses; what is only "wrong password" is not worth one.
      level: 'error',
      log: (level, message) => {
        if (level === 'error' || level === 'warn') deps.log(level, message);
      },
    },
  });

export type Auth = ReturnType<typeof createAuth>;
