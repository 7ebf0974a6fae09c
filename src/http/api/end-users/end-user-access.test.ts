import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/app.ts';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';
import { givenOrganization } from '../../../../test/factories.ts';

/** What holds on every path of the family. */
let parley: EndUsersApi['parley'];
let orgId: EndUsersApi['orgId'];
let call: EndUsersApi['call'];

beforeAll(async () => {
  ({ parley, orgId, call } = await startEndUsersApi());
});
afterAll(() => parley.stop());

describe('404', () => {
  test.each(['enduser_01k8v3m9e5f7rsm6z4n0q2x1af', 'x', 'agent_01k8v3m9e5f7rsm6z4n0q2x1af'])(
    'the ID %s gets 404 on every path',
    async (id) => {
      for (const [method, rest, body] of [
        ['GET', ''],
        ['PATCH', '', {}],
        ['DELETE', ''],
        ['GET', '/conversations'],
        ['GET', '/conversations/conv_01k8v3m9e5f7rsm6z4n0q2x1af/messages'],
        ['GET', '/export'],
        ['PUT', '/consent/whatsapp', { status: 'opted_in' }],
      ] as const) {
        const answer = await call(method, `${people}/${id}${rest}`, body);
        expect([method, rest, answer.status, answer.body.code]).toEqual([method, rest, 404, 'end_user_not_found']);
      }
    },
  );

  test("another organization's person is not found", async () => {
    const other = await givenOrganization(parley.db);
    const theirs = (await parley.key(other, { permissions: ['end_users'] })).value;
    const { body: person } = await call('POST', people, { name: 'Mine' });
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/conversations'],
      ['GET', '/export'],
    ] as const)
      expect((await parley.call(method, `${people}/${person.id}${rest}`, { key: theirs })).status).toBe(404);
    expect((await parley.call('PATCH', `${people}/${person.id}`, { key: theirs, body: { name: 'x' } })).status).toBe(
      404,
    );
    expect((await parley.call('GET', people, { key: theirs })).body.data).toEqual([]);
    expect((await parley.call('PUT', `${people}/external/c-1`, { key: theirs, body: {} })).status).toBe(201);
    expect((await call('GET', `${people}/${person.id}`)).body.name).toBe('Mine');
  });
});

describe('403', () => {
  test('the permission end_users is required on every path', async () => {
    const { value } = await parley.key(orgId, { permissions: ['triggers', 'channels'] });
    for (const [method, path] of [
      ['POST', people],
      ['GET', people],
      ['PUT', `${people}/external/x`],
      ['POST', `${people}/search`],
      ['POST', `${people}/bulk`],
      ['DELETE', `${people}/x`],
      ['GET', `${people}/x/export`],
    ] as const) {
      const answer = await parley.call(method, path, { key: value });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'permission_missing']);
      expect(answer.body.required_permission).toBe('end_users');
    }
  });
});

describe('401', () => {
  test('a key that is revoked after the check writes nothing', async () => {
    const { id, value } = await parley.key(orgId, { permissions: ['end_users'] });
    await parley.call('GET', people, { key: value });
    // Bypasses the directory, as for a node that was paused between check and write.
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    const answers = await Promise.all([
      parley.call('POST', people, { key: value, body: { external_id: 'ghost' } }),
      parley.call('PUT', `${people}/external/ghost`, { key: value, body: {} }),
      parley.call('POST', `${people}/bulk`, { key: value, body: { end_users: [{ external_id: 'ghost' }] } }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 3 }, () => [401, 'key_revoked']),
    );
    expect((await call('GET', `${people}?external_id=ghost`)).body.data).toEqual([]);
  });
});

describe('idempotency', () => {
  test('a repeated POST creates one person and returns the same response', async () => {
    const headers = { 'idempotency-key': 'make-1' };
    const first = await call('POST', people, { external_id: 'i-1' }, headers);
    const second = await call('POST', people, { external_id: 'i-1' }, headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await call('POST', people, { external_id: 'i-2' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('a repeated bulk call, even an empty one, returns the same response', async () => {
    for (const [name, rows] of [
      ['bulk-1', [{ external_id: 'i-b' }]],
      ['bulk-2', [{ name: 'nobody' }]],
    ] as const) {
      const headers = { 'idempotency-key': name };
      const first = await call('POST', `${people}/bulk`, { end_users: rows }, headers);
      const second = await call('POST', `${people}/bulk`, { end_users: rows }, headers);
      expect([second.headers.get('idempotent-replayed'), second.body]).toEqual(['true', first.body]);
    }
  });
});

describe('429', () => {
  test('the routes of end users have their own rate limit', async () => {
    const limited = await startTestApp({ PARLEY_LIMITS: '{"end_users":{"key":2,"organization":10}}' });
    const org = await givenOrganization(limited.db);
    const { value } = await limited.key(org, { permissions: ['end_users'] });
    const statuses = [];
    for (const path of [people, `${people}/x`, people]) {
      const answer = await limited.call('GET', path, { key: value });
      statuses.push([answer.status, answer.headers.get('retry-after')]);
    }
    await limited.stop();
    expect(statuses).toEqual([
      [200, null],
      [404, null],
      [429, '60'],
    ]);
  });
});
