import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { lockPasswordHash, readPasswordHash, setPasswordHash } from '../../store/accounts/passwords.ts';
import { deleteOtherSessions } from '../../store/accounts/sessions.ts';
import type { Db } from '../../store/db.ts';
import { isCommonPassword } from './common-password.ts';
import type { Auth } from './create-auth.ts';
import type { createDeviceCookies } from './device-cookie.ts';
import { MAX_PASSWORD_CHARACTERS } from './session-constants.ts';
import type { Browser, SignedIn } from './signed-in.ts';
import type { SignInLimit } from './sign-in-limit.ts';

type PasswordDeps = {
  db: Db;
  limit: SignInLimit;
  devices: ReturnType<typeof createDeviceCookies>;
  scrypt(): Promise<Awaited<Auth['$context']>['password']>;
};

/** The password of a person who is signed in. */
export type Passwords = {
  /**
   * Refuses a wrong password. Returns the hash of the password, so that the caller can check that it has not changed.
   */
  checkPassword(caller: Browser, who: SignedIn, password: string): Promise<string>;
  changePassword(caller: Browser, who: SignedIn, current: string, next: string): Promise<void>;
  /**
   * Returns the hash of a new password. Every change of a password uses this function. Refuses a password that is easy
   * to guess. `own` are the person's name and address, and `pointer` is the field of the body.
   */
  hashPassword(password: string, own: readonly string[], pointer?: string): Promise<string>;
};

export function createPasswords({ db, limit, devices, scrypt }: PasswordDeps): Passwords {
  const check: Passwords['checkPassword'] = async (caller, who, password) => {
    const { email } = who.user;
    const device = devices.deviceOf(caller.cookie, email);
    await limit.attempt(caller.address, email, device);
    const { verify } = await scrypt();
    const hash = await readPasswordHash(db, who.user.id);
    const isRight = hash !== null && password.length <= MAX_PASSWORD_CHARACTERS && (await verify({ hash, password }));
    if (!isRight) throw wrongNow();
    await limit.succeeded(caller.address, email, device);
    return hash;
  };

  const hash: Passwords['hashPassword'] = async (password, own, pointer = '/password') => {
    if (await isCommonPassword(password, own)) throw tooCommon(pointer);
    return (await scrypt()).hash(password);
  };

  const change: Passwords['changePassword'] = async (caller, who, current, next) => {
    const currentHash = await check(caller, who, current);
    const nextHash = await hash(next, [who.user.name, who.user.email], '/new_password');
    await db.transaction(async (tx) => {
      // If the password was changed after the check, the other change stays.
      if ((await lockPasswordHash(tx, who.user.id)) !== currentHash) throw wrongNow();
      await setPasswordHash(tx, who.user.id, nextHash);
      await deleteOtherSessions(tx, who.user.id, who.sessionId);
    });
  };

  return { checkPassword: check, hashPassword: hash, changePassword: change };
}

const tooCommon = (pointer: string): Refusal =>
  invalidAt(pointer, 'password_too_common', 'This password is too common. Choose another one.');

const wrongNow = (): Refusal => new Refusal('sign_in_failed', 'The current password is wrong.');
