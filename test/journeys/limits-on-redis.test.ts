import { randomBytes, randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { REDIS_SERVER, startRedis, type TestRedis } from '../redis.ts';

/**
 * Two nodes of one region on one database and one real Redis, which is killed, emptied and paused during the test. The
 * first node calls Redis through a proxy that can hold the responses back.
 */
const KEY = 20;
const ORGANIZATION = 30;
const env = {
  PARLEY_SECRET: randomBytes(48).toString('base64'),
  PARLEY_LIMITS: JSON.stringify({ triggers: { key: KEY, organization: ORGANIZATION } }),
};

describe.skipIf(REDIS_SERVER === undefined)('limits with REDIS_URL', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let proxy: TcpProxy;
  let nodes: TestApp[];
  const lines: { msg?: string }[] = [];

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), startRedis({ password: 'sesame' })]);
    proxy = await startTcpProxy({ host: '127.0.0.1', port: redis.port });
    const throughProxy = redis.url.replace(`:${redis.port}`, `:${proxy.port}`);
    const start = (url: string) => startTestApp({ ...env, REDIS_URL: url }, { role: 'api', database, lines });
    nodes = [await start(throughProxy), await start(redis.url)];
    await vi.waitUntil(() => nodes.every(({ app }) => app.access.state().nodes === 2), 20_000);
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.stop();
    await proxy?.close();
    await redis?.stop();
    await database?.drop();
  });

  const shared = (first: boolean, second = first) =>
    expect
      .poll(() => nodes.map(({ app }) => app.access.state().isLimitShared), { timeout: 10_000 })
      .toEqual([first, second]);

  /**
   * Limits are exact as long as Redis answers within 50 ms. If this machine was too busy for that, which the nodes log,
   * the check is repeated.
   */
  async function whileRedisAnswers(look: () => Promise<void>): Promise<void> {
    const losses = () => lines.filter(({ msg }) => msg?.startsWith('Redis is not available')).length;
    for (let looks = 1; ; looks++) {
      await shared(true);
      const before = losses();
      try {
        return await look();
      } catch (error) {
        if (losses() === before || looks === 5) throw error;
      }
    }
  }

  /** Creates a trigger and keys of a new organization. */
  async function given(keys = 1) {
    const [{ db }] = nodes as [TestApp, TestApp];
    const orgId = await givenOrganization(db);
    const { agentId } = await givenAgent(db, orgId);
    const path = `/api/triggers/${agentId}/${await givenTrigger(db, orgId, agentId)}`;
    const values = [];
    for (let n = 0; n < keys; n++) values.push((await nodes[0]!.key(orgId)).value);
    return { path, values };
  }

  const call = (node: number, { path }: { path: string }, key: string): Promise<Answer> =>
    nodes[node]!.call('POST', path, { key, body: {} });

  /**
   * Makes this many simultaneous calls, alternating between both nodes. Returns the number of accepted calls. All
   * others must get 429.
   */
  async function burst(calls: number, at: Awaited<ReturnType<typeof given>>, only?: number): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, n) => call(only ?? n % 2, at, at.values[n % at.values.length]!)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status === 429);
    expect(accepted.length + refused.length).toBe(calls);
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('60');
    return accepted.length;
  }

  it('limits are exact with three times as many simultaneous calls, on any node', () =>
    whileRedisAnswers(async () => {
      const at = await given();
      const began = Date.now();
      expect(await burst(KEY * 3, at)).toBe(KEY);
      expect(await burst(KEY, at, 0)).toBe(0);
      const over = await call(1, at, at.values[0]!);
      expect(over.headers.get('ratelimit-policy')).toBe(`"key";q=${KEY};w=60, "organization";q=${ORGANIZATION};w=60`);
      const [, left] = /^"key";r=0;t=(\d+)$/.exec(over.headers.get('ratelimit')!)!;
      expect(Number(left)).toBeLessThanOrEqual(60);
      expect(Number(left)).toBeGreaterThanOrEqual(60 - Math.ceil((Date.now() - began) / 1_000));
    }));

  it('limits count only accepted calls: a refused call does not use the limit of key or organization', () =>
    whileRedisAnswers(async () => {
      const at = await given(3);
      // The first key uses up its own limit. Its refused calls do not count for the organization, so the other keys can
      // use the rest.
      const [first, second, third] = at.values as [string, string, string];
      expect(await burst(KEY + 15, { ...at, values: [first] })).toBe(KEY);
      const left = await call(0, at, second);
      expect(left.headers.get('ratelimit')).toMatch(
        new RegExp(`^"key";r=${KEY - 1};t=\\d+, "organization";r=${ORGANIZATION - KEY - 1};t=\\d+$`),
      );
      expect(await burst(40, { ...at, values: [second, third] })).toBe(ORGANIZATION - KEY - 1);
      const refused = await call(1, at, third);
      expect(refused.headers.get('ratelimit')).toMatch(/^"organization";r=0;t=\d+$/);
    }));

  it('limits start again from zero after Redis was emptied', () =>
    whileRedisAnswers(async () => {
      const at = await given();
      expect(await burst(KEY * 2, at)).toBe(KEY);
      await redis.flush();
      expect(await burst(KEY * 2, at)).toBe(KEY);
    }));

  it('each of two nodes applies half of the limits while Redis is down, and exact limits afterwards', () =>
    whileRedisAnswers(async () => {
      const [before, during] = [await given(), await given()];
      // Half of each node's half was used before, and this counts.
      expect(await burst(KEY / 2, before)).toBe(KEY / 2);
      await redis.kill();
      await shared(false);
      expect(await burst(KEY * 2, before, 0)).toBe(KEY / 4);
      expect(await burst(KEY * 2, during, 0)).toBe(KEY / 2);
      const over = await call(0, during, during.values[0]!);
      expect(over.headers.get('ratelimit-policy')).toBe(
        `"key";q=${KEY / 2};w=60, "organization";q=${ORGANIZATION / 2};w=60`,
      );
      expect(await burst(KEY * 2, during, 1)).toBe(KEY / 2);
      await redis.restart();
      // The new Redis is empty. Each node adds its calls of this minute.
      await shared(true);
      expect(await burst(KEY * 2, during)).toBe(0);
      expect(await burst(KEY * 2, before)).toBe(KEY / 4);
      expect(await burst(KEY * 3, await given())).toBe(KEY);
    }));

  it('a node that gets late responses takes half of the rest, and all nodes stay within the limit afterwards', () =>
    whileRedisAnswers(async () => {
      const at = await given();
      expect(await burst(KEY / 2, at, 1)).toBe(KEY / 2);
      expect(await burst(2, at, 0)).toBe(2);
      const rest = KEY / 2 - 2;
      proxy.set({ kind: 'black hole' }, { direction: 'down' });
      try {
        // Redis counts these calls, but its responses arrive too late.
        expect(await burst(KEY, at, 0)).toBe(rest / 2);
        await shared(false, true);
      } finally {
        proxy.heal();
      }
      await shared(true);
      expect(await burst(KEY * 2, at)).toBe(rest / 2);
    }));

  it('a paused Redis delays no call, and limits are exact again when it continues', async () => {
    const at = await given();
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      // The first calls wait until Redis counts as lost. The limit of two nodes still applies.
      expect(await burst(KEY * 3, at)).toBe(KEY);
      await shared(false);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
    await whileRedisAnswers(async () => expect(await burst(KEY * 3, await given())).toBe(KEY));
  });

  it('the limit of sign-in attempts counts the attempts on both nodes', () =>
    whileRedisAnswers(async () => {
      const email = `nobody-${randomUUID()}@example.qa`;
      const attempt = async (n: number) => {
        const body = { email, password: `wrong password ${n}` };
        const headers = { origin: nodes[n % 2]!.config.baseUrl };
        return (await nodes[n % 2]!.call('POST', '/dashboard/api/sign-in', { body, headers })).status;
      };
      // Ten calls at once, and one more every few seconds. A single node would refuse none of its six calls.
      const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => attempt(n)));
      expect(statuses).toContain(429);
    }));
});

describe.skipIf(REDIS_SERVER === undefined)('a start', () => {
  it('a node with a wrong Redis password, or without Redis, reports it and applies its share of the limits', async () => {
    await using database = await createTestDatabase();
    const redis = await startRedis({ password: 'sesame' });
    try {
      for (const [url, reason] of [
        [redis.url.replace('sesame', 'wrong'), 'The server rejects the user name or password.'],
        ['redis://127.0.0.1:1', 'Nothing listens on this host and port.'],
      ] as const) {
        const lines: { reason?: string; msg: string }[] = [];
        const node = await startTestApp({ ...env, REDIS_URL: url }, { role: 'api', database, lines });
        try {
          expect(node.app.access.state().isLimitShared).toBe(false);
          expect(lines.filter(({ msg }) => msg.includes('REDIS_URL')).map((line) => line.reason)).toEqual([reason]);
          expect(JSON.stringify(lines)).not.toContain('wrong@');
        } finally {
          await node.stop();
        }
      }
    } finally {
      await redis.stop();
    }
  });

  it('a node that Redis refuses pauses before each connection, reports each reason once, and connects later', async () => {
    await using database = await createTestDatabase();
    const redis = await startRedis();
    const admin = createClient({ url: redis.url });
    const lines: { reason?: string; msg: string }[] = [];
    let node: TestApp | undefined;
    try {
      await admin.connect();
      await admin.configSet('maxclients', '1');
      const refused = async () => Number(/rejected_connections:(\d+)/.exec(await admin.info('stats'))![1]);
      const begun = performance.now();
      node = await startTestApp({ ...env, REDIS_URL: redis.url }, { role: 'api', database, lines });
      await expect.poll(refused).toBeGreaterThanOrEqual(4);
      expect(performance.now() - begun).toBeGreaterThan((await refused()) * 200 - 250);
      expect(node.app.access.state().isLimitShared).toBe(false);
      const reasons = lines.filter(({ msg }) => msg.includes('REDIS_URL')).map(({ reason }) => reason);
      expect(reasons).toEqual([...new Set(reasons)]);
      expect(reasons).toContain(
        'The server refuses the connection. It has too many clients, or its protected mode is on.',
      );
      await admin.configSet('maxclients', '100');
      await expect.poll(() => node!.app.access.state().isLimitShared).toBe(true);
    } finally {
      await node?.stop();
      admin.destroy();
      await redis.stop();
    }
  });
});
