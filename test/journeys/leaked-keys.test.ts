import { generateKeyPairSync, sign } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDigest, digestBytes } from '../../src/access/api-keys/digest.ts';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenKey, givenOrganization } from '../factories.ts';
import { type FakeSmtp, startSmtp } from '../fakes/smtp.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** Leaked keys that strangers report: `POST /api/keys/leaked`, with a fake scanner and a mail server. */
let parley: TestApp;
let smtp: FakeSmtp;
let call: SignedIn;
let orgId: string;
const lines: object[] = [];

const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SCANNERS = JSON.stringify({
  public_keys: [
    {
      key_identifier: 'scanner-1',
      key: scanner.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      is_current: true,
    },
  ],
});

beforeAll(async () => {
  smtp = await startSmtp();
  const user = encodeURIComponent(smtp.user);
  parley = await startTestApp(
    {
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'debug',
      PARLEY_LEAK_REPORT_KEYS: SCANNERS,
      SMTP_URL: `smtp://${user}:${encodeURIComponent(smtp.password)}@127.0.0.1:${smtp.port}?security=none`,
      MAIL_FROM: 'Parley <noreply@example.com>',
    },
    { lines },
  );
  ({ call, orgId } = await signedInOwner(parley));
});
afterAll(async () => {
  await parley.stop();
  await smtp.stop();
});

let place = 0;
/** Each report comes from its own address, except in the test of the limit. */
const nextPlace = () => `198.51.100.${++place % 250}`;

function report(
  entries: unknown,
  { from = nextPlace(), by = null as 'scanner-1' | 'other' | null, forge = false } = {},
) {
  const body = typeof entries === 'string' ? entries : JSON.stringify(entries);
  const key = forge ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : scanner.privateKey;
  return parley.call('POST', '/api/keys/leaked', {
    body,
    headers: {
      'x-forwarded-for': from,
      ...(by && {
        'github-public-key-identifier': by,
        'github-public-key-signature': sign('sha256', Buffer.from(body), key).toString('base64'),
      }),
    },
  });
}

const found = (token: string, more: object = {}) => ({ token, type: 'parley_api_key', ...more });
const stateOf = async (id: string) => (await call(`GET /organizations/${orgId}/keys/${id}`)).body;
const me = async (key: string) => (await parley.call('GET', '/api/me', { key })).body?.code ?? 'works';
const auditOf = async (id: string) =>
  (
    await parley.db.execute<{ actor: string; address: string; facts: object }>(
      sql`SELECT actor, address, facts FROM audit WHERE subject_id = ${id} AND action = 'api_key.revoked'`,
    )
  ).rows;

const PLACE = 'https://github.com/example/shop/blob/main/.env';

describe('a report', () => {
  test('a report from a scanner revokes the key on all nodes immediately, and notifies the owners', async () => {
    const { id, value } = await parley.key(orgId);
    const other = await parley.key(orgId);
    expect(await me(value)).toBe('works');
    const answer = await report([found(value, { url: `${PLACE}?token=secret#L3`, source: 'content' })], {
      by: 'scanner-1',
      from: '198.51.100.77',
    });
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(await me(value)).toBe('key_revoked');
    expect(await me(other.value)).toBe('works');
    const leak = { url: `${PLACE}#L3`, source: 'content', signed: true };
    expect(await stateOf(id)).toMatchObject({ state: 'revoked', revoked_by: 'leak_report', leak });
    expect(await auditOf(id)).toMatchObject([{ actor: 'leak_report', address: '198.51.100.77', facts: { leak } }]);
    await expect.poll(() => smtp.mails.length).toBe(1);
    const [mail] = smtp.mails;
    expect(mail!.to).toBe('asha@example.com');
    expect(mail!.raw).toContain('/settings/integrations/api-keys/');
    expect(mail!.raw).toContain('github.com/example/shop');
  });

  test('a report that no scanner signed also revokes the key, but its URL is not mailed', async () => {
    smtp.mails.length = 0;
    const { id, value } = await parley.key(orgId);
    // A key's label does not become a link in the mail to its owners.
    await parley.db.execute(sql`UPDATE api_key SET label = 'https://evil.example/sign-in' WHERE id = ${id}`);
    expect((await report([found(value, { url: 'https://evil.example/sign-in', source: 'commit' })])).text).toBe('[]');
    expect(await me(value)).toBe('key_revoked');
    const leak = { url: 'https://evil.example/sign-in', source: 'commit', signed: false };
    expect((await stateOf(id)).leak).toEqual(leak);
    await expect.poll(() => smtp.mails.length).toBe(1);
    expect(smtp.mails[0]!.raw).not.toContain('evil.example');
  });

  test('a report from a scanner with an unknown signing key counts as unsigned', async () => {
    smtp.mails.length = 0;
    const { id, value } = await parley.key(orgId);
    expect((await report([found(value)], { by: 'other' })).status).toBe(200);
    expect((await stateOf(id)).leak).toEqual({ url: null, source: null, signed: false });
    await expect.poll(() => smtp.mails.length).toBe(1);
  });

  test('a report with a forged signature has no effect', async () => {
    const { value } = await parley.key(orgId);
    const answer = await report([found(value)], { by: 'scanner-1', forge: true });
    expect([answer.status, answer.body.code]).toEqual([401, 'signature_invalid']);
    expect(await me(value)).toBe('works');
  });

  test('a report revokes each of its keys once, regardless of the text between them', async () => {
    smtp.mails.length = 0;
    const keys = await Promise.all(Array.from({ length: 25 }, () => parley.key(orgId)));
    const noise = ['', 'ghp_1', mintKey('eu'), mintKey('us'), 'parley_us_short'].map((token) => found(token));
    const entries = keys.flatMap(({ value }) => [found(value), ...noise.slice(0, 1), found(` ${value}\n`)]);
    expect((await report([...noise, ...entries], { by: 'scanner-1' })).text).toBe('[]');
    for (const { id, value } of keys) {
      expect(await me(value)).toBe('key_revoked');
      expect(await auditOf(id)).toHaveLength(1);
    }
    await expect.poll(() => smtp.mails.length).toBe(25);
  });

  test('a repeated report neither changes the stored URL of the leak nor sends a second mail', async () => {
    const { id, value } = await parley.key(orgId);
    await report([found(value, { url: PLACE })]);
    const before = await stateOf(id);
    await report([found(value, { url: 'https://elsewhere.example/' })], { by: 'scanner-1' });
    expect(await stateOf(id)).toEqual(before);
    expect(await auditOf(id)).toHaveLength(1);
  });
});

describe('a caller', () => {
  test('a report gets the same response for known, unknown and revoked keys, and for text that is not a key', async () => {
    const known = await parley.key(orgId);
    const revoked = await parley.key(orgId);
    await call(`POST /organizations/${orgId}/keys/${revoked.id}/revoke`);
    const foreign = await givenOrganization(parley.db);
    const theirs = await parley.key(foreign);
    const answers = [];
    for (const token of [known.value, revoked.value, theirs.value, mintKey('us'), mintKey('qa'), 'nonsense', ''])
      answers.push(await report([found(token)]));
    answers.push(await report([]));
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([200, '[]']);
      const { 'x-request-id': _id, date: _date, ...same } = Object.fromEntries(headers);
      const { 'x-request-id': _first, date: _then, ...first } = Object.fromEntries(answers[0]!.headers);
      expect(same).toEqual(first);
    }
    expect(await me(theirs.value)).toBe('key_revoked');
  });

  test('a report must have the right schema, and the error repeats nothing of it', async () => {
    const { value } = await parley.key(orgId);
    const wrong: [unknown, number, string][] = [
      ['', 400, 'body_invalid'],
      [`[{"token":"${value}"`, 400, 'body_invalid'],
      [found(value), 422, 'validation_failed'],
      [[value], 422, 'validation_failed'],
      [[found(value), { url: PLACE }], 422, 'validation_failed'],
      [Array.from({ length: 101 }, () => found(value)), 422, 'validation_failed'],
    ];
    for (const [entries, status, code] of wrong) {
      const answer = await report(entries);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.text).not.toContain(value.slice(16));
    }
    expect(await me(value)).toBe('works');
    const many = Array.from({ length: 999 }, () => found(mintKey('us'), { new_word: { of: 'theirs' } }));
    expect((await report([...many, found(value)], { by: 'scanner-1' })).status).toBe(200);
    expect(await me(value)).toBe('key_revoked');
  });

  test('reports are rate-limited, but a scanner is never limited by others', async () => {
    const from = '192.0.2.200';
    const codes = [];
    for (let i = 0; i < 11; i++) codes.push((await report([found('x')], { from })).status);
    expect(codes).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    // A forged signature does not bypass the limit.
    expect((await report([found('x')], { from, by: 'scanner-1', forge: true })).status).toBe(429);
    expect((await report([found('x')], { from, by: 'scanner-1' })).status).toBe(200);
    let refused = 0;
    for (let i = 0; i < 70; i++) if ((await report([found('x')], { from: `203.0.113.${i}` })).status === 429) refused++;
    expect(refused).toBeGreaterThan(5);
    expect((await report([found('x')], { by: 'scanner-1' })).status).toBe(200);
  });
});

test('a URL that contains a key or a password, or is invalid, is not stored', async () => {
  const digest = createDigest(parley.secrets.apiKeyPepper);
  const hide = async (url: (value: string) => string) => {
    const value = mintKey('us');
    const id = await givenKey(parley.db, orgId, { digest: digestBytes(digest(value)) });
    await report([found(value, { url: url(value), source: 'A strange <source>' })], { by: 'scanner-1' });
    return (await stateOf(id)).leak;
  };
  const nowhere = { url: null, source: null, signed: true };
  expect(await hide((value) => `https://example.com/${value}`)).toEqual(nowhere);
  expect(await hide((value) => `https://example.com/${encodeURIComponent(value).replaceAll('_', '%5F')}`)).toEqual(
    nowhere,
  );
  expect(await hide(() => 'javascript:alert(1)')).toEqual(nowhere);
  expect(await hide(() => 'not an address')).toEqual(nowhere);
  expect(await hide(() => `https://example.com/${'a'.repeat(600)}`)).toEqual(nowhere);
  expect(await hide((value) => `https://user:${value}@example.com/a?key=${value}`)).toEqual({
    ...nowhere,
    url: 'https://example.com/a',
  });
});

test('no log line, row or mail contains the value of a reported key', async () => {
  const { value } = await parley.key(orgId);
  await report([found(value, { url: `https://example.com/#${value}` })]);
  const secret = value.slice(16);
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(JSON.stringify(smtp.mails)).not.toContain(secret);
  const { rows: tables } = await parley.db.execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const { rows } = await parley.db.execute(sql.raw(`SELECT t::text AS row FROM "${name}" t`));
    expect({ name, holds: JSON.stringify(rows).includes(secret) }).toEqual({ name, holds: false });
  }
});
