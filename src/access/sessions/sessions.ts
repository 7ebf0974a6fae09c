import { Refusal } from '../../../contract/problems.ts';
import { loadOnce } from '../../kernel/load-once.ts';
import { deriveKey, withOthers } from '../../kernel/seal.ts';
import { type Db, isUnreachable } from '../../store/db.ts';
import { type Person, findPerson } from '../../store/accounts/accounts.ts';
import { findCredential, lockPasswordHash, readPasswordHash } from '../../store/accounts/passwords.ts';
import { deleteSession, deleteSessionByToken } from '../../store/accounts/sessions.ts';
import { readFactors } from '../../store/accounts/authenticator.ts';
import type { Auth } from './create-auth.ts';
import { ADDRESS_HEADER, SESSION_COOKIE } from './session-constants.ts';
import { createDeviceCookies } from './device-cookie.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { isChallenge, newChallenge, readChallenge } from './sign-in-challenge.ts';
import { resignCookie } from './resign-cookie.ts';
import type { SignInLimit } from './sign-in-limit.ts';
import type { Browser, SignedIn } from './signed-in.ts';

/** The proof that a person who signs in has given. */
export type Proof = {
  /**
   * The hash with which the password was compared, or which the link covers. If the password was changed after the
   * comparison, the proof is not valid.
   */
  passwordHash?: string | null;
  /** True: the person has shown a second factor. */
  factor: boolean;
};

type Opened = { setCookie: string[]; token: string };

/**
 * `asked`: the account has a second factor that the person has not shown yet. If a second factor is missing, no session
 * is opened.
 */
export type SignInOutcome = { userId: string; setCookie: string[]; asked: SecondFactorAsked | null };
export type SecondFactorAsked = { challenge: string; expiresAt: Date; authenticator: boolean; passkey: boolean };

export type Sessions = Passwords & {
  /**
   * Reads the session from the database every time. `setCookie` prolongs the session in the browser. The caller copies
   * this cookie into the response.
   */
  read(caller: Browser): Promise<{ signedIn: SignedIn; setCookie: string[] } | null>;
  signIn(caller: Browser, email: string, password: string): Promise<SignInOutcome>;
  /**
   * Opens a session. The only other function that opens sessions is `openFor`. The caller has verified the person by a
   * password, a link, a code, a passkey or a provider. The function `finishSignIn` decides whether the proof is enough.
   * For every way of signing in, an account with a second factor gets a session only if the factor was shown. New ways
   * of signing in must also use this function.
   */
  finishSignIn(caller: Browser, person: Person, proof: Proof): Promise<SignInOutcome>;
  /**
   * Reads the person of a challenge, and the facts that the challenge proves. Null: the challenge expired, or the
   * password was changed.
   */
  readChallenge(challenge: string): Promise<{ person: Person; proof: Proof } | null>;
  /**
   * Opens a session for one organization only. The provider of this organization confirmed the person's identity and
   * says whether they used a second factor. The account's own second factor protects other organizations, so a session
   * for one organization does not require it.
   */
  openFor(caller: Browser, userId: string, orgId: string, secondFactor: boolean): Promise<Opened>;
  /** The promise resolves when the session is deleted from the database. */
  signOut(caller: Browser): Promise<void>;
};

/** A cookie header that removes the session cookie from the browser. */
export const CLEARED_COOKIE = `${SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`;

type Deps = {
  db: Db;
  secret: string;
  /** Cookies that were signed with the other secrets are still accepted. */
  otherSecrets?: readonly string[];
  baseUrl: string;
  limit: SignInLimit;
  log: (level: 'error' | 'warn', message: string) => void;
};

export function createSessions({ db, secret, otherSecrets = [], baseUrl, limit, log }: Deps): Sessions {
  const keyOf = (purpose: string) =>
    withOthers(
      deriveKey(secret, purpose),
      otherSecrets.map((other) => deriveKey(other, purpose)),
    );
  const headersOf = (caller: Browser): Headers =>
    plainHeaders({ ...caller, cookie: resignCookie(caller.cookie, SESSION_COOKIE, [secret, ...otherSecrets]) });
  // The first person who signs in loads the library, because a node that only serves keys never needs it.
  const openAuth = loadOnce(async (): Promise<Auth> =>
    (await import('./create-auth.ts')).createAuth({ db, secret, baseUrl, log }),
  );
  const scrypt = async () => (await (await openAuth()).$context).password;
  const devices = createDeviceCookies(keyOf('device cookie'));
  const passwords = createPasswords({ db, limit, devices, scrypt });
  const challengeKey = keyOf('second factor challenge');

  async function read(caller: Browser) {
    // Most strangers have no cookie of Parley, so they cause no query.
    if (!caller.cookie?.includes(`${SESSION_COOKIE}=`)) return null;
    const auth = await openAuth();
    const { headers, response } = await asked(() =>
      auth.api.getSession({ headers: headersOf(caller), returnHeaders: true }),
    );
    if (response === null) return null;
    return { signedIn: signedInOf(response), setCookie: headers.getSetCookie() };
  }

  const open = async (caller: Browser, userId: string, signInOrgId: string | null, signInFactor: boolean) => {
    const body = { userId, signInOrgId, signInFactor };
    const auth = await openAuth();
    const { headers, response } = await asked(() =>
      auth.api.openSession({ body, headers: headersOf(caller), returnHeaders: true }),
    );
    return { setCookie: headers.getSetCookie(), token: response.token };
  };

  const finishSignIn: Sessions['finishSignIn'] = async (caller, person, proof) => {
    const factors = await asked(() => readFactors(db, person.id));
    if (!proof.factor && isAsked(factors)) {
      const hash = proof.passwordHash ?? (await readPasswordHash(db, person.id));
      const { challenge, expiresAt } = newChallenge(challengeKey, person.id, hash);
      const can = { authenticator: factors.authenticator, passkey: factors.passkeys > 0 };
      return { userId: person.id, setCookie: [], asked: { challenge, expiresAt, ...can } };
    }
    const { setCookie, token } = await open(caller, person.id, null, proof.factor);
    if (!(await asked(() => isStillRight(db, person.id, token, proof)))) throw wrong();
    const device = devices.remember(caller.cookie, person.email);
    return { userId: person.id, setCookie: device === null ? setCookie : [...setCookie, device], asked: null };
  };

  return {
    read,
    async signIn(caller, email, password) {
      const device = devices.deviceOf(caller.cookie, email);
      await limit.attempt(caller.address, email, device);
      const known = await asked(() => findCredential(db, email));
      const { hash, verify } = await scrypt();
      // An address without an account causes the same work, so that the duration reveals nothing.
      if (!known) await hash(password);
      if (!known || !(await verify({ hash: known.hash, password }))) throw wrong();
      await limit.succeeded(caller.address, email, device);
      return finishSignIn(caller, known.person, { passwordHash: known.hash, factor: false });
    },
    openFor: (caller, userId, orgId, secondFactor) => open(caller, userId, orgId, secondFactor),
    finishSignIn,
    async readChallenge(challenge) {
      const userId = readChallenge(challenge);
      if (userId === null) return null;
      const passwordHash = await asked(() => readPasswordHash(db, userId));
      if (!isChallenge(challengeKey, challenge, passwordHash)) return null;
      const person = await asked(() => findPerson(db, userId));
      return person && { person, proof: { passwordHash, factor: false } };
    },
    async signOut(caller) {
      const found = await read(caller);
      // The sign-out of better-auth reports success even if the row was not removed.
      if (found) await deleteSession(db, found.signedIn.user.id, found.signedIn.sessionId);
    },
    ...passwords,
  };
}

/**
 * The check of a password takes a while. A person who changes the password, or sets up a second factor, ends all
 * sessions that exist at the time of the change. A session that is opened during the change is not among them, so this
 * function checks again and ends such a session. The lock makes one of the two transactions see the writes of the other
 * transaction.
 */
const isStillRight = (db: Db, userId: string, token: string, { passwordHash, factor }: Proof): Promise<boolean> =>
  db.transaction(async (tx) => {
    const hash = await lockPasswordHash(tx, userId);
    const isSame = passwordHash === undefined || passwordHash === hash;
    if (isSame && (factor || !isAsked(await readFactors(tx, userId)))) return true;
    await deleteSessionByToken(tx, userId, token);
    return false;
  });

const signedInOf = ({ session, user }: NonNullable<Awaited<ReturnType<Auth['api']['getSession']>>>): SignedIn => ({
  sessionId: session.id,
  onlyOrgId: session.signInOrgId ?? null,
  signInFactor: session.signInFactor,
  openedAt: session.createdAt,
  user: { id: user.id, name: user.name, email: user.email, emailVerified: user.emailVerified },
});

const plainHeaders = ({ cookie, address, userAgent }: Browser): Headers =>
  new Headers({
    ...(cookie !== undefined && { cookie }),
    ...(userAgent !== undefined && { 'user-agent': userAgent.slice(0, MAX_USER_AGENT) }),
    [ADDRESS_HEADER]: address,
  });

const MAX_USER_AGENT = 300;

/** Any factor of the account is required, including a passkey. */
const isAsked = ({ authenticator, passkeys }: { authenticator: boolean; passkeys: number }): boolean =>
  authenticator || passkeys > 0;

const wrong = (cause?: unknown): Refusal =>
  new Refusal('sign_in_failed', 'E-mail address or password is wrong.', { cause });

/**
 * Maps the errors of better-auth to Parley's errors. The library's generic 500 means that the database did not answer,
 * so the caller gets 503 and is never treated as signed out.
 */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { isAPIError } = await import('better-auth/api');
    if (isAPIError(error) && error.statusCode < 500) {
      throw wrong(error);
    }
    if (isAPIError(error) || isUnreachable(error)) {
      throw new Refusal('unavailable', undefined, { cause: error });
    }
    throw error;
  }
}
