import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { SLOW_BODY_MS } from '../../src/http/route/mount-routes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../factories.ts';
import { rawExchange } from '../raw-http.ts';

/**
 * The order of checks (docs/security.md), row by row, against the running program: the first condition that applies
 * decides.
 */
let parley: TestApp;
let orgId: string;
let agentId: string;
let otherAgentId: string;
let triggerId: string;
let path: string;
const keys: Record<string, { id: string; value: string }> = {};

beforeAll(async () => {
  parley = await startTestApp({
    PARLEY_LIMITS: '{"triggers":{"key":50,"organization":1000}}',
    BASE_URL_EU: 'https://eu.parley.test',
  });
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  ({ agentId: otherAgentId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  path = `/api/triggers/${agentId}/${triggerId}`;
  keys.organization = await parley.key(orgId);
  keys.agent = await parley.key(orgId, { scope: 'agent', agentId });
  keys.channels = await parley.key(orgId, { permissions: ['channels'] });
});

afterAll(() => parley.stop());

const post = (key: string | undefined, at = path, body: unknown = {}, headers: Record<string, string> = {}) =>
  parley.call('POST', at, { ...(key !== undefined && { key }), body, headers });

const verdict = (answer: Answer) => [answer.status, answer.body?.code];

describe('401', () => {
  test.each([
    ['no header', {}, undefined],
    ['an empty header', { authorization: '' }, undefined],
    ['another scheme', { authorization: 'Basic YTpi' }, undefined],
    ['no token', { authorization: 'Bearer ' }, undefined],
  ] as [string, Record<string, string>, undefined][])('a call gets authorization_missing: %s', async (_, headers) => {
    const answer = await parley.call('GET', '/api/me', { headers });
    expect(verdict(answer)).toEqual([401, 'authorization_missing']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="parley"');
  });

  test('a key in the query, a cookie, the body or another header is ignored', async () => {
    const { value } = keys.organization!;
    const headers = { cookie: `key=${value}`, 'x-api-key': value };
    const answer = await parley.call('POST', `${path}?api_key=${value}`, { headers, body: { key: value } });
    expect(verdict(answer)).toEqual([401, 'authorization_missing']);
  });

  test('the word Bearer may have any case and several spaces after it', async () => {
    for (const scheme of ['bearer ', 'BEARER  ', 'BeArEr    ']) {
      const answer = await parley.call('GET', '/api/me', {
        headers: { authorization: scheme + keys.organization!.value },
      });
      expect(answer.status).toBe(200);
    }
  });

  test.each([
    ['nonsense', () => 'nonsense'],
    [
      'a wrong checksum',
      () => keys.organization!.value.slice(0, -1) + (keys.organization!.value.endsWith('0') ? '1' : '0'),
    ],
    ['a well-formed key that does not exist', () => mintKey('us')],
  ])('a call gets key_invalid: %s', async (_, value) => {
    const answer = await parley.call('GET', '/api/me', { key: value() });
    expect(verdict(answer)).toEqual([401, 'key_invalid']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="parley", error="invalid_token"');
    expect(answer.text).not.toContain(value());
  });

  test('key_wrong_region names the base URL of the other region', async () => {
    const answer = await parley.call('GET', '/api/me', { key: mintKey('eu') });
    expect(verdict(answer)).toEqual([401, 'key_wrong_region']);
    expect(answer.body.detail).toContain('https://eu.parley.test');
  });
});

describe('403', () => {
  test('the plan is checked before permissions, and a change of plan applies immediately', async () => {
    const other = await givenOrganization(parley.db, { plan: 'free' });
    const { value } = await parley.key(other, { permissions: ['channels'] });
    expect(verdict(await post(value))).toEqual([403, 'plan_required']);
    await parley.app.access.change({ kind: 'organization', id: other }, async (tx) => {
      await tx.execute(sql`UPDATE organization SET plan = 'paid' WHERE id = ${other}`);
    });
    expect(verdict(await post(value))).toEqual([403, 'permission_missing']);
  });

  test('permission_missing names the required permission and the existing ones', async () => {
    const answer = await post(keys.channels!.value);
    expect(verdict(answer)).toEqual([403, 'permission_missing']);
    expect(answer.body).toMatchObject({ required_permission: 'triggers', key_permissions: ['channels'] });
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="triggers"');
  });

  test('every other agent gets agent_mismatch, even if it does not exist', async () => {
    for (const other of [otherAgentId, newId('agent'), 'nonsense', '..%2f']) {
      const answer = await post(keys.agent!.value, `/api/triggers/${other}/${triggerId}`);
      expect(verdict(answer), other).toEqual([403, 'agent_mismatch']);
    }
  });
});

describe('404', () => {
  test('unknown and malformed IDs and agents of other organizations get agent_not_found', async () => {
    const foreign = await givenAgent(parley.db, await givenOrganization(parley.db));
    for (const other of [newId('agent'), 'nonsense', foreign.agentId, 'a%2fb']) {
      const answer = await post(keys.organization!.value, `/api/triggers/${other}/${triggerId}`);
      expect(verdict(answer), other).toEqual([404, 'agent_not_found']);
    }
  });

  test('unknown and malformed IDs and triggers of other agents get trigger_not_found', async () => {
    for (const [agent, trigger] of [
      [agentId, newId('trigger')],
      [agentId, 'nonsense'],
      [otherAgentId, triggerId],
    ]) {
      const answer = await post(keys.organization!.value, `/api/triggers/${agent}/${trigger}`);
      expect(verdict(answer)).toEqual([404, 'trigger_not_found']);
    }
  });

  test('the key of a deleted agent stays valid, but gets 404', async () => {
    const { agentId: gone } = await givenAgent(parley.db, orgId);
    const trigger = await givenTrigger(parley.db, orgId, gone);
    const { value } = await parley.key(orgId, { scope: 'agent', agentId: gone });
    expect((await post(value, `/api/triggers/${gone}/${trigger}`)).status).toBe(202);
    await parley.app.access.change({ kind: 'agent', id: gone }, async (tx) => {
      await tx.execute(sql`UPDATE agent SET deleted_at = now() WHERE id = ${gone}`);
    });
    expect(verdict(await post(value, `/api/triggers/${gone}/${trigger}`))).toEqual([404, 'agent_not_found']);
    expect((await parley.call('GET', '/api/me', { key: value })).status).toBe(200);
  });
});

describe('the order of the rows', () => {
  test('key and permission are checked before the body', async () => {
    const body = '{"broken';
    expect(verdict(await post(undefined, path, body))).toEqual([401, 'authorization_missing']);
    expect(verdict(await post(keys.channels!.value, path, body))).toEqual([403, 'permission_missing']);
    expect(verdict(await post(keys.organization!.value, path, body))).toEqual([400, 'body_invalid']);
    expect(verdict(await post(keys.organization!.value, path, '{}', { 'content-type': 'text/plain' }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
  });

  test('the bytes of the body are checked before a wrong query', async () => {
    const at = `${path}?dry_run=true`;
    const { value } = keys.organization!;
    expect(verdict(await post(value, at, '{"broken'))).toEqual([400, 'body_invalid']);
    expect(verdict(await post(value, at, '{}', { 'content-type': 'text/plain' }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    expect(verdict(await post(value, at, '{}'))).toEqual([422, 'validation_failed']);
  });

  test('a call over the limit gets 429 with Retry-After 60 before its body is read, and stores nothing', async () => {
    const { value } = await parley.key(orgId);
    const answers = await Promise.all(Array.from({ length: 60 }, () => post(value)));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(50);
    expect(refused[0]!.headers.get('retry-after')).toBe('60');
    expect(verdict(await post(value, path, '{"broken'))).toEqual([429, 'rate_limited']);
    expect((await parley.call('GET', `${path}/runs`, { key: value })).status).toBe(200);
  });
});

describe('strictness', () => {
  /** Many calls on one kept-alive connection. */
  function onOneConnection(value: string) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = () =>
      new Promise<{ status: number; port: number }>((resolve, reject) => {
        const sent = request(
          `${parley.url}${path}`,
          { method: 'POST', agent, headers: { authorization: `Bearer ${value}` } },
          (answer) => {
            const port = answer.socket.localPort!;
            answer.resume().on('end', () => resolve({ status: answer.statusCode!, port }));
          },
        );
        sent.on('error', reject).end();
      });
    return { call, close: () => agent.destroy() };
  }

  test('a revoked key is refused on the very next request of a kept-alive connection', async () => {
    for (let round = 0; round < 20; round++) {
      const { id, value } = await parley.key(orgId);
      const connection = onOneConnection(value);
      const before = await connection.call();
      await parley.app.access.change({ kind: 'key', id }, async (tx) => {
        await tx.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
      });
      const after = await connection.call();
      connection.close();
      expect([before.status, after.status]).toEqual([202, 401]);
      expect(after.port).toBe(before.port);
    }
  });

  test('no call that starts after the confirmation of a revoke is accepted, even under heavy load', async () => {
    const { id, value } = await parley.key(orgId);
    let revokedAt = Infinity;
    let stop = false;
    const ledger: { startedAt: number; status: number }[] = [];
    const callers = Array.from({ length: 16 }, async () => {
      while (!stop) {
        const startedAt = performance.now();
        const answer = await parley.call('GET', '/api/me', { key: value });
        ledger.push({ startedAt, status: answer.status });
      }
    });
    await vi.waitUntil(() => ledger.length > 100, { timeout: 20_000 });
    await parley.app.access.change({ kind: 'key', id }, async (tx) => {
      await tx.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    });
    revokedAt = performance.now();
    const later = () => ledger.filter((call) => call.startedAt > revokedAt);
    await vi.waitUntil(() => later().length > 100, { timeout: 20_000 });
    stop = true;
    await Promise.all(callers);
    expect(ledger.filter((call) => call.status === 200).length).toBeGreaterThan(20);
    expect(later().filter((call) => call.status !== 401)).toEqual([]);
  });

  test('the fence stops every write with a key that was revoked while this node did not know it', async () => {
    const { id, value } = await parley.key(orgId);
    expect((await post(value)).status).toBe(202);
    // Directly in the database, without the change log: as if this node had slept since its check.
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    const before = await parley.db.execute<{ n: string }>(sql`SELECT count(*) AS n FROM run`);
    expect(verdict(await post(value))).toEqual([401, 'key_revoked']);
    const after = await parley.db.execute<{ n: string }>(sql`SELECT count(*) AS n FROM run`);
    expect(after.rows).toEqual(before.rows);
  });

  test('the fence also stops the cancellation of a run', async () => {
    const { id, value } = await parley.key(orgId);
    const made = await post(value);
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    expect(verdict(await parley.call('POST', `${path}/runs/${made.body.id}/cancel`, { key: value }))).toEqual([
      401,
      'key_revoked',
    ]);
  });

  test('a call is refused if its key is revoked before the body is complete', async () => {
    const { id, value } = await parley.key(orgId, { permissions: ['end_users'] });
    const revoked = Promise.withResolvers<void>();
    const head = `POST /api/end-users/search HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${value}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
    const asking = rawExchange(Number(new URL(parley.url).port), [head + body, revoked.promise, '}']);
    // An accepted key counts as used.
    const used = sql`SELECT 1 FROM api_key WHERE id = ${id} AND last_used_at IS NOT NULL`;
    await vi.waitUntil(async () => (await parley.db.execute(used)).rows.length > 0, { timeout: 20_000 });
    await parley.app.access.change({ kind: 'key', id }, async (tx) => {
      await tx.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    });
    await pause(SLOW_BODY_MS);
    revoked.resolve();
    const [answer] = (await asking).answers;
    expect([answer!.status, answer!.json().code]).toEqual([401, 'key_revoked']);
  });

  test('a key is refused from the second of its expiry, without a revoke', async () => {
    const { id, value } = await parley.key(orgId);
    await parley.db.execute(sql`UPDATE api_key SET revoke_at = now() + interval '3 seconds' WHERE id = ${id}`);
    expect((await parley.call('GET', '/api/me', { key: value })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 3_050));
    expect(verdict(await parley.call('GET', '/api/me', { key: value }))).toEqual([401, 'key_revoked']);
  });
});

describe('last used', () => {
  test('last used is set at the first authenticated call, even a refused one, and never by a 401', async () => {
    const lastUsed = async (id: string) =>
      (await parley.db.execute<{ at: Date | null }>(sql`SELECT last_used_at AS at FROM api_key WHERE id = ${id}`))
        .rows[0]!.at;
    const used = await parley.key(orgId, { permissions: ['channels'] });
    await post(used.value);
    const revoked = await givenKey(parley.db, orgId);
    await expect.poll(() => lastUsed(used.id)).not.toBeNull();
    expect(await lastUsed(revoked)).toBeNull();
  });
});

describe('a lost database', () => {
  test('calls get 503 with Retry-After while the database is lost, never 401 or 404', async () => {
    const away = await startTestApp();
    const org = await givenOrganization(away.db);
    const { value } = await away.key(org);
    expect((await away.call('GET', '/api/me', { key: value })).status).toBe(200);
    await away.database.drop();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const answer = await away.call('GET', '/api/me', { key: value });
    expect(verdict(answer)).toEqual([503, 'unavailable']);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect((await away.call('GET', '/api/health')).status).toBe(200);
    expect((await away.call('GET', '/ready')).status).toBe(503);
    await away.app.stop();
    await away.db.$client.end();
  }, 60_000);
});

describe('paths', () => {
  test.each([
    ['GET', '/api/nope', 404, 'route_not_found'],
    ['POST', '/api/nope', 404, 'route_not_found'],
    ['GET', '/dashboard/api/nope', 404, 'route_not_found'],
    ['POST', '/nope', 404, 'route_not_found'],
    ['POST', '/api/me', 405, 'method_not_allowed'],
    ['DELETE', '/api/triggers/a/b', 405, 'method_not_allowed'],
  ])('the call %s %s gets %d, also next to the dashboard', async (method, at, status, code) => {
    expect(verdict(await parley.call(method, at))).toEqual([status, code]);
  });
});
