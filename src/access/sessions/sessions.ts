import { isAPIError } from 'better-auth/api';
import { Refusal } from '../../../contract/problems.ts';
import { type Db, isUnreachable } from '../../store/db.ts';
import {
  deleteOtherSessions,
  deleteSession,
  deleteSessionByToken,
  lockPasswordHash,
  readPasswordHash,
  readPasswordHashByEmail,
  setPasswordHash,
  type Person,
} from '../../store/people.ts';
import { isCommonPassword } from './common-password.ts';
import { ADDRESS_HEADER, type Auth, createAuth, MAX_PASSWORD_CHARACTERS, SESSION_COOKIE } from './create-auth.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** Who is signed in, and by which session. */
export type SignedIn = {
  sessionId: string;
  user: Person;
  /** The organization whose provider opened the session, which reaches no other; null: the person opened it. */
  onlyOrgId: string | null;
  /** That provider says that a second factor was used. */
  signInFactor: boolean;
};

type Opened = { setCookie: string[]; token: string };

/** What a request says about where it comes from. */
export type Caller = { cookie: string | undefined; address: string; userAgent: string | undefined };

export type Sessions = {
  /** Asks the database every time. `setCookie` prolongs the session; it goes into the answer as it is. */
  read(caller: Caller): Promise<{ signedIn: SignedIn; setCookie: string[] } | null>;
  signIn(caller: Caller, email: string, password: string): Promise<{ userId: string; setCookie: string[] }>;
  /** A session that reaches one organization, whose provider vouched for the person. */
  openFor(caller: Caller, userId: string, orgId: string, secondFactor: boolean): Promise<Opened>;
  /** Resolves once the session is gone from the database. */
  signOut(caller: Caller): Promise<void>;
  changePassword(caller: Caller, who: SignedIn, current: string, next: string): Promise<void>;
  /**
   * The hash of a new password; every password that is set goes through here. Refuses one that is guessed first: `own`
   * are the person's name and address, `pointer` is the field of the body.
   */
  hashPassword(password: string, own: readonly string[], pointer?: string): Promise<string>;
};

/** Removes the cookie from the browser. */
export const CLEARED_COOKIE = `${SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`;

type Deps = {
  db: Db;
  secret: string;
  baseUrl: string;
  limit: SignInLimit;
  log: (level: 'error' | 'warn', message: string) => void;
};

export function createSessions({ db, secret, baseUrl, limit, log }: Deps): Sessions {
  const auth: Auth = createAuth({ db, secret, baseUrl, log });

  async function read(caller: Caller) {
    // Most strangers carry no cookie of ours: no query for them.
    if (!caller.cookie?.includes(`${SESSION_COOKIE}=`)) return null;
    const { headers, response } = await asked(() =>
      auth.api.getSession({ headers: headersOf(caller), returnHeaders: true }),
    );
    if (response === null) return null;
    const { session, user } = response;
    return {
      signedIn: {
        sessionId: session.id,
        user: { id: user.id, name: user.name, email: user.email },
        onlyOrgId: session.signInOrgId ?? null,
        signInFactor: session.signInFactor,
      },
      setCookie: headers.getSetCookie(),
    };
  }

  /**
   * Checking a password takes a while. Whoever changes it ends the sessions of that moment, and one that an older password
   * was opening is not among them yet: so it is ended here. The lock lets one of the two see the other.
   */
  const isStillRight = (userId: string, token: string, hash: string | null): Promise<boolean> =>
    db.transaction(async (tx) => {
      if ((await lockPasswordHash(tx, userId)) === hash) return true;
      await deleteSessionByToken(tx, userId, token);
      return false;
    });

  const hashPassword: Sessions['hashPassword'] = async (password, own, pointer = '/password') => {
    if (await isCommonPassword(password, own)) throw tooCommon(pointer);
    return (await auth.$context).password.hash(password);
  };

  return {
    read,
    async signIn(caller, email, password) {
      await limit.attempt(caller.address, email);
      const hash = await asked(() => readPasswordHashByEmail(db, email));
      const { headers, response } = await asked(() =>
        auth.api.signInEmail({ body: { email, password }, headers: headersOf(caller), returnHeaders: true }),
      );
      if (!(await asked(() => isStillRight(response.user.id, response.token, hash)))) throw wrong();
      await limit.succeeded(caller.address, email);
      return { userId: response.user.id, setCookie: headers.getSetCookie() };
    },
    async openFor(caller, userId, orgId, secondFactor) {
      const { headers, response } = await asked(() =>
        auth.api.openSession({
          body: { userId, signInOrgId: orgId, signInFactor: secondFactor },
          headers: headersOf(caller),
          returnHeaders: true,
        }),
      );
      return { setCookie: headers.getSetCookie(), token: response.token };
    },
    async signOut(caller) {
      const found = await read(caller);
      // better-auth's own sign-out answers "done" even when the row could not be removed.
      if (found) await deleteSession(db, found.signedIn.user.id, found.signedIn.sessionId);
    },
    async changePassword(caller, who, current, next) {
      await limit.attempt(caller.address, who.user.email);
      const { password } = await auth.$context;
      const hash = await readPasswordHash(db, who.user.id);
      const isRight =
        hash !== null &&
        current.length <= MAX_PASSWORD_CHARACTERS &&
        (await password.verify({ hash, password: current }));
      if (!isRight) throw wrongNow();
      await limit.succeeded(caller.address, who.user.email);
      const nextHash = await hashPassword(next, [who.user.name, who.user.email], '/new_password');
      await db.transaction(async (tx) => {
        // Somebody may have changed it since it was found right; theirs stays.
        if ((await lockPasswordHash(tx, who.user.id)) !== hash) throw wrongNow();
        await setPasswordHash(tx, who.user.id, nextHash);
        await deleteOtherSessions(tx, who.user.id, who.sessionId);
      });
    },
    hashPassword,
  };
}

const headersOf = ({ cookie, address, userAgent }: Caller): Headers =>
  new Headers({
    ...(cookie !== undefined && { cookie }),
    ...(userAgent !== undefined && { 'user-agent': userAgent.slice(0, MAX_USER_AGENT) }),
    [ADDRESS_HEADER]: address,
  });

const MAX_USER_AGENT = 300;

const wrong = (cause?: unknown): Refusal =>
  new Refusal('sign_in_failed', 'E-mail address or password is wrong.', { cause });

const tooCommon = (pointer: string): Refusal =>
  new Refusal('validation_failed', undefined, {
    errors: [{ pointer, code: 'password_too_common', detail: 'This password is guessed first: choose another one.' }],
  });

const wrongNow = (): Refusal => new Refusal('sign_in_failed', 'The current password is wrong.');

/**
 * better-auth's errors in our words. What it knows no better word for than 500 is a database that did not answer:
 * that is 503, never "signed out".
 */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isAPIError(error) && error.statusCode < 500) {
      throw wrong(error);
    }
    if (isAPIError(error) || isUnreachable(error)) {
      throw new Refusal('unavailable', undefined, { cause: error });
    }
    throw error;
  }
}
