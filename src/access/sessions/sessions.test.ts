import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '../../../test/postgres.ts';
import { type Db, openDb } from '../../store/db.ts';
import { findPersonByEmail, insertPerson } from '../../store/accounts/accounts.ts';
import { readPasswordHash, setPasswordHash } from '../../store/accounts/passwords.ts';
import { deleteOtherSessions, listSessions } from '../../store/accounts/sessions.ts';
import { SESSION_COOKIE } from './session-constants.ts';
import { type Sessions, createSessions } from './sessions.ts';
import { DEVICE_COOKIE } from './device-cookie.ts';
import { createSignInLimit } from './sign-in-limit.ts';

let database: TestDatabase;
let db: Db;
let sessions: Sessions;
const PASSWORD = 'correct horse battery';
const EMAIL = 'Asha@Example.qa';
const loose = { pair: 1_000, subject: 1_000, address: 1_000, node: 1_000 };

const WAITING = sql`SELECT 1 FROM pg_locks WHERE relation = 'session'::regclass AND NOT granted`;
const WAITING_FOR_ROW = sql`SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE '%account%'`;

const make = (limits = loose) =>
  createSessions({
    db,
    secret: 'a-secret-for-tests-of-forty-characters-00',
    baseUrl: 'http://127.0.0.1:4000',
    limit: createSignInLimit(limits),
    log: () => {},
  });

const caller = (cookie?: string) => ({ cookie, address: '192.0.2.7', userAgent: 'test' });
const cookieOf = (setCookie: string[]) => setCookie[0]!.split(';')[0]!;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  sessions = make();
  await insertPerson(db, { name: 'Asha', email: EMAIL, passwordHash: await sessions.hashPassword(PASSWORD, []) });
});
afterAll(async () => {
  await db.$client.end();
  await database.drop();
});

describe('signing in', () => {
  it('the cookies of session and device are __Host- cookies with Secure, HttpOnly and SameSite', async () => {
    const { setCookie } = await sessions.signIn(caller(), EMAIL, PASSWORD);
    expect(setCookie).toHaveLength(2);
    expect(setCookie[0]).toMatch(new RegExp(`^${SESSION_COOKIE}=[^;]+; `));
    expect(setCookie[1]).toMatch(new RegExp(`^${DEVICE_COOKIE}=[^;]+; `));
    for (const cookie of setCookie) {
      for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) expect(cookie).toContain(part);
      expect(cookie).not.toContain('Domain');
    }
  });

  it('signing in ignores the case of the e-mail address, and stores IP address and browser', async () => {
    const { setCookie } = await sessions.signIn(caller(), 'ASHA@example.QA', PASSWORD);
    const found = await sessions.read(caller(cookieOf(setCookie)));
    expect(found?.signedIn.user).toMatchObject({ name: 'Asha', email: 'asha@example.qa' });
    const rows = await listSessions(db, found!.signedIn.user.id);
    expect(rows[0]).toMatchObject({ address: '192.0.2.7', userAgent: 'test' });
    expect(rows[0]!.id).toMatch(/^session_/);
  });

  it('signing in does not reveal whether an address has an account', async () => {
    const refusals = await Promise.all(
      [
        [EMAIL, 'wrong password'],
        ['nobody@example.qa', 'wrong password'],
        ['not an address', 'wrong password'],
        [EMAIL, 'x'.repeat(1_000)],
      ].map(([email, password]) => sessions.signIn(caller(), email!, password!).catch((error: unknown) => error)),
    );
    const responses = refusals.map((error) => {
      const { code, message } = error as { code: string; message: string };
      return `${code} ${message}`;
    });
    expect(new Set(responses)).toEqual(new Set(['sign_in_failed E-mail address or password is wrong.']));
  });

  it.each([
    ['of one account from one place', { ...loose, pair: 3 }, () => caller(), () => EMAIL],
    [
      'of one account from many places',
      { ...loose, subject: 3 },
      (i: number) => ({ ...caller(), address: `192.0.2.${i}` }),
      () => EMAIL,
    ],
    ['of many accounts from one place', { ...loose, address: 3 }, () => caller(), (i: number) => `p${i}@example.qa`],
    [
      'of many accounts from many places',
      { ...loose, node: 3 },
      (i: number) => ({ ...caller(), address: `192.0.2.${i}` }),
      (i: number) => `p${i}@example.qa`,
    ],
  ])('guesses of %s are limited, even in a burst', async (_what, limits, from, email) => {
    const limited = make(limits);
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((i) => limited.signIn(from(i), email(i), 'wrong').catch((error: unknown) => error)),
    );
    const codes = answers.map((error) => (error as { code: string }).code);
    expect(codes.filter((code) => code === 'sign_in_failed')).toHaveLength(3);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(2);
  });

  it('a known device can sign in while others guess the account’s password', async () => {
    const strict = make({ ...loose, subject: 4 });
    const { setCookie } = await strict.signIn(caller(), EMAIL, PASSWORD);
    const device = setCookie.map((one) => one.split(';')[0]).join('; ');
    const guess = (n: number) => ({ cookie: undefined, address: `198.51.100.${n}`, userAgent: 'test' });
    await Promise.all([1, 2, 3, 4].map((n) => strict.signIn(guess(n), EMAIL, 'wrong').catch(() => null)));
    const refused = { code: 'rate_limited' };
    await expect(strict.signIn(guess(5), EMAIL, PASSWORD)).rejects.toMatchObject(refused);
    await expect(strict.signIn(caller(device), EMAIL, PASSWORD)).resolves.toMatchObject({ asked: null });
    await expect(strict.signIn(caller(`${DEVICE_COOKIE}=forged`), EMAIL, PASSWORD)).rejects.toMatchObject(refused);
  });
});

describe('a session', () => {
  it('a session is refused on the very next read after signing out', async () => {
    const { setCookie } = await sessions.signIn(caller(), EMAIL, PASSWORD);
    const cookie = cookieOf(setCookie);
    expect(await sessions.read(caller(cookie))).not.toBeNull();
    await sessions.signOut(caller(cookie));
    expect(await sessions.read(caller(cookie))).toBeNull();
  });

  it('a session cannot be derived from the database or with another secret', async () => {
    const { setCookie } = await sessions.signIn(caller(), EMAIL, PASSWORD);
    const [token] = decodeURIComponent(cookieOf(setCookie)).split('=')[1]!.split('.');
    for (const value of [token, `${token}.`, `${token}.AAAA`, `${token}.${'A'.repeat(43)}=`]) {
      expect(await sessions.read(caller(`${SESSION_COOKIE}=${encodeURIComponent(value!)}`))).toBeNull();
    }
  });

  it('a change of the password ends all sessions except the current one', async () => {
    const first = cookieOf((await sessions.signIn(caller(), EMAIL, PASSWORD)).setCookie);
    const second = cookieOf((await sessions.signIn(caller(), EMAIL, PASSWORD)).setCookie);
    const { signedIn } = (await sessions.read(caller(first)))!;
    await expect(sessions.changePassword(caller(), signedIn, 'wrong', 'another good one')).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    await sessions.changePassword(caller(), signedIn, PASSWORD, 'another good one');
    expect(await sessions.read(caller(first))).not.toBeNull();
    expect(await sessions.read(caller(second))).toBeNull();
    await sessions.changePassword(caller(), signedIn, 'another good one', PASSWORD);
  });

  it('a password change does not overwrite a newer change that happened during its check', async () => {
    const { id } = (await findPersonByEmail(db, EMAIL))!;
    const { signedIn } = (await sessions.read(
      caller(cookieOf((await sessions.signIn(caller(), EMAIL, PASSWORD)).setCookie)),
    ))!;
    const before = (await readPasswordHash(db, id))!;
    const first = await sessions.hashPassword('the first of two', []);
    const late = await db.transaction(async (tx) => {
      await setPasswordHash(tx, id, first);
      const second = sessions
        .changePassword(caller(), signedIn, PASSWORD, 'the second of two')
        .catch((error: unknown) => error);
      // Its current password was checked, and it waits for the row.
      await expect
        .poll(async () => (await db.execute(WAITING_FOR_ROW)).rows.length, { interval: 10, timeout: 4_000 })
        .toBeGreaterThan(0);
      return { second };
    });
    expect(await late.second).toMatchObject({ code: 'sign_in_failed' });
    expect(await readPasswordHash(db, id)).toBe(first);
    await setPasswordHash(db, id, before);
  });

  it('no session is opened if the password changed during the check', async () => {
    const { id } = (await findPersonByEmail(db, EMAIL))!;
    const before = (await readPasswordHash(db, id))!;
    const signedIn = (await sessions.read(
      caller(cookieOf((await sessions.signIn(caller(), EMAIL, PASSWORD)).setCookie)),
    ))!.signedIn;
    const nextHash = await sessions.hashPassword('another good one', []);
    const late = await db.transaction(async (tx) => {
      await tx.execute(sql`LOCK TABLE session IN SHARE ROW EXCLUSIVE MODE`);
      const signingIn = sessions.signIn(caller(), EMAIL, PASSWORD).catch((error: unknown) => error);
      // The password was checked, and the new session waits for the table.
      await expect
        .poll(async () => (await db.execute(WAITING)).rows.length, { interval: 10, timeout: 4_000 })
        .toBeGreaterThan(0);
      await setPasswordHash(tx, id, nextHash);
      await deleteOtherSessions(tx, id, signedIn.sessionId);
      return { signingIn };
    });
    expect(await late.signingIn).toMatchObject({ code: 'sign_in_failed' });
    expect((await listSessions(db, id)).map((one) => one.id)).toEqual([signedIn.sessionId]);
    await setPasswordHash(db, id, before);
  });

  it('a session counts as unknown, not as ended, while the database does not answer', async () => {
    const { setCookie } = await sessions.signIn(caller(), EMAIL, PASSWORD);
    const dead = openDb('postgres://parley@127.0.0.1:1/none');
    const cut = createSessions({
      db: dead,
      secret: 'a-secret-for-tests-of-forty-characters-00',
      baseUrl: 'http://127.0.0.1:4000',
      limit: createSignInLimit(loose),
      log: () => {},
    });
    await expect(cut.read(caller(cookieOf(setCookie)))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(cut.signOut(caller(cookieOf(setCookie)))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(cut.signIn(caller(), EMAIL, PASSWORD)).rejects.toMatchObject({ code: 'unavailable' });
    await dead.$client.end();
  });

  it('no password is stored in clear text', async () => {
    const person = await findPersonByEmail(db, EMAIL);
    expect(person).not.toBeNull();
    const { rows } = await db.$client.query('SELECT password FROM account');
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });
});
