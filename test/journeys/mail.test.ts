import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_BASE } from '../../contract/dashboard/routes.ts';
import { insertPerson } from '../../src/store/accounts/accounts.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { type FakeSmtp, startSmtp } from '../fakes/smtp.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** The complete program with a mail server: a mail arrives only in its own mailbox. */
let smtp: FakeSmtp;
let parley: TestApp;
let owner: Owner;
const lines: object[] = [];
const GOOD = 'correct horse battery';

beforeAll(async () => {
  smtp = await startSmtp();
  const url = `smtp://${encodeURIComponent(smtp.user)}:${encodeURIComponent(smtp.password)}@127.0.0.1:${smtp.port}`;
  const mail = { SMTP_URL: `${url}?security=none`, MAIL_FROM: 'Parley <noreply@example.com>' };
  parley = await startTestApp({ ...mail, LOG_LEVEL: 'trace' }, { lines });
  owner = await givenOwner(parley);
});
afterAll(async () => {
  await parley.stop();
  await smtp.stop();
});

type Answer = { status: number; body: any; cookie: string | null }; // oxlint-disable-line typescript/no-explicit-any
async function call(line: string, body?: unknown, cookie: string | null = null): Promise<Answer> {
  const [method, path] = line.split(' ') as [string, string];
  const answer = await fetch(parley.url + DASHBOARD_BASE + path, {
    method,
    headers: { ...(cookie !== null && { cookie }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const set = answer.headers.getSetCookie()[0]?.split(';')[0] ?? null;
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), cookie: set };
}

const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to === address);
/** Waits for this many mails to the address and returns the path of the link in the latest one. */
async function linkTo(address: string, mails = 1): Promise<string> {
  await expect.poll(() => mailsTo(address).length, { timeout: 15_000 }).toBe(mails);
  const raw = mailsTo(address).at(-1)!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /http:\/\/[^/\s"<]+\/([\w./-]+)/.exec(raw)![1]!;
}
const tokenOf = (path: string): string => path.split('/')[1]!;
const outboxIsEmpty = () =>
  expect.poll(async () => (await parley.db.execute(sql`SELECT 1 FROM mail`)).rows.length, { timeout: 15_000 }).toBe(0);
const invite = (email: string, role = 'member') => owner.call('POST /invitations', { email, role });
const squat = (email: string) =>
  parley.app.sessions
    .hashPassword('the squatter knows it', [])
    .then((passwordHash) => insertPerson(parley.db, { name: 'Squatter', email, passwordHash }));
const signIn = (email: string, password: string) => call('POST /sign-in', { email, password });

describe('an invitation', () => {
  it('an invitation is mailed only to its address, and proves that address', async () => {
    const made = await invite('New@example.qa');
    expect(made.body).toMatchObject({ email: 'new@example.qa', mailed: true, url: null });
    const path = await linkTo('new@example.qa');
    expect(path).toMatch(/^invitations\/[\w-]{43}$/);
    expect((await call(`GET /invitations/${tokenOf(path)}`)).body).toMatchObject({ new_accounts: true });
    const joined = await call(`POST /invitations/${tokenOf(path)}`, { name: 'New', password: GOOD });
    expect(joined.body).toMatchObject({
      mail: true,
      user: { email_verified: true },
      organizations: [{ role: 'member' }],
    });
    expect(JSON.stringify(lines)).not.toContain(tokenOf(path));
  });

  it('an invitation to an address with a proven account requires signing in to that account', async () => {
    await invite('twice@example.qa');
    const first = await linkTo('twice@example.qa');
    await call(`POST /invitations/${tokenOf(first)}`, { name: 'Twice', password: GOOD });
    const { body: other } = await call('POST /organizations', { name: 'Shop http://evil.example now' }, owner.cookie);
    await call(
      `POST /organizations/${other.id}/invitations`,
      { email: 'twice@example.qa', role: 'admin' },
      owner.cookie,
    );
    const second = tokenOf(await linkTo('twice@example.qa', 2));
    expect(mailsTo('twice@example.qa')[1]!.raw).not.toContain('evil.example');
    const again = await call(`POST /invitations/${second}`, { name: 'X', password: 'another good one' });
    expect(again.body.code).toBe('account_exists');
    const { cookie } = await signIn('twice@example.qa', GOOD);
    const joined = await call(`POST /invitations/${second}/join`, undefined, cookie);
    expect(joined.body.organizations).toHaveLength(2);
  });

  it('an invitation belongs to the owner of the mailbox, even if another person created an account with the address earlier', async () => {
    const email = 'squatted@example.qa';
    await squat(email);
    const squatter = await signIn(email, 'the squatter knows it');
    await invite(email, 'admin');
    const token = tokenOf(await linkTo(email));
    const joined = await call(`POST /invitations/${token}`, { name: 'True', password: GOOD });
    expect(joined.body).toMatchObject({ user: { name: 'True', email_verified: true } });
    expect((await call('GET /session', undefined, squatter.cookie)).status).toBe(401);
    expect((await signIn(email, 'the squatter knows it')).status).toBe(401);
    expect((await signIn(email, GOOD)).status).toBe(200);
  });

  it('one mailbox gets only a few invitations per hour', async () => {
    const email = 'flooded@example.qa';
    const answers: number[] = [];
    for (let count = 0; count < 6; count++) answers.push((await invite(email)).status);
    expect(answers).toEqual([201, 201, 201, 201, 201, 429]);
  });
});

describe('a forgotten password', () => {
  it('the request for a password link gets the same response with and without an account, and mails one link', async () => {
    await outboxIsEmpty();
    const sent = smtp.mails.length;
    const known = await call('POST /password-links', { email: 'ASHA@example.com' });
    const unknown = await call('POST /password-links', { email: 'nobody@example.qa' });
    expect([known.status, unknown.status, unknown.body]).toEqual([204, 204, known.body]);
    const token = tokenOf(await linkTo('asha@example.com'));
    await outboxIsEmpty();
    expect(smtp.mails).toHaveLength(sent + 1);
    const set = await call(`POST /password-links/${token}`, { password: 'a new password 42' });
    expect(set.status).toBe(200);
    expect((await call(`POST /password-links/${token}`, { password: 'once more, please' })).status).toBe(404);
    expect((await call('GET /session', undefined, owner.cookie)).status).toBe(401);
    owner.cookie = set.cookie!;
  });

  it('a password link can be requested a few times an hour, with or without an account', async () => {
    for (const email of ['limited@example.qa', 'asha@example.com']) {
      const answers: number[] = [];
      for (let count = 0; count < 6; count++) answers.push((await call('POST /password-links', { email })).status);
      expect(answers.at(-1)).toBe(429);
    }
  });
});

describe('the address of an account', () => {
  it('the address of an account is verified only in a session of that account', async () => {
    const email = 'late@example.qa';
    await squat(email);
    const { cookie, body } = await signIn(email, 'the squatter knows it');
    expect(body).toMatchObject({ mail: true, user: { email_verified: false } });
    expect((await call('POST /email-links', undefined, cookie)).status).toBe(204);
    const token = tokenOf(await linkTo(email));
    expect((await call(`POST /email-links/${token}`)).body.code).toBe('session_missing');
    const { cookie: another } = await signIn('new@example.qa', GOOD);
    for (const [link, as] of [
      [token, another],
      [`${token.slice(0, -2)}xx`, cookie],
      ['x', cookie],
    ] as const)
      expect((await call(`POST /email-links/${link}`, undefined, as)).body.code).toBe('email_link_not_found');
    // A link for a password does not work for an address, nor the other way round.
    expect((await call(`GET /password-links/${token}`)).status).toBe(404);
    expect((await call(`POST /email-links/${token}`, undefined, cookie)).body.user.email_verified).toBe(true);
  });
});

it('the log contains no address, link or subject of a mail', () => {
  expect(JSON.stringify(lines)).not.toMatch(/squatted@|late@|flooded@|nobody@/);
});
