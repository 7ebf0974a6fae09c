import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { isParleyError, Parley, type ParleyOptions } from '../src/parley.ts';
import { startFaultyProxy, type FaultyProxy, type Step } from './faulty-proxy.ts';

/** Tests the client library against a real server, with a proxy that causes network failures. */
let app: TestApp;
let proxy: FaultyProxy;
let agent: string;
let trigger: string;
let apiKey: string;

beforeAll(async () => {
  app = await startTestApp();
  const orgId = await givenOrganization(app.db);
  ({ agentId: agent } = await givenAgent(app.db, orgId));
  trigger = await givenTrigger(app.db, orgId, agent);
  apiKey = (await app.key(orgId, { permissions: ['triggers', 'end_users'] })).value;
  proxy = await startFaultyProxy(app.url);
});
afterAll(async () => {
  await proxy?.close();
  await app?.stop();
});
beforeEach(() => {
  proxy.plan.length = 0;
  proxy.calls.length = 0;
});

const client = (...plan: Step[]): Parley => with_({}, ...plan);
const with_ = (options: Partial<ParleyOptions>, ...plan: Step[]): Parley => {
  proxy.plan.push(...plan);
  return new Parley({ apiKey, baseUrl: proxy.url, ...options });
};
const problem = (status: number, code: string, headers: Record<string, string> = {}): Step => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ code, status, detail: 'No.', title: 'No', type: 'x', request_id: 'req_1' }),
});
const failed = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );
const keys = () => new Set(proxy.calls.map(({ headers }) => headers['idempotency-key']));
const people = async (externalId: string) =>
  (await app.call('GET', `/api/end-users?external_id=${externalId}`, { key: apiKey })).body.data.length as number;

describe('a call is repeated', () => {
  test('a call is repeated after 429 with the same Idempotency-Key, and not before Retry-After', async () => {
    await client(problem(429, 'rate_limited', { 'retry-after': '1' })).triggers.start(agent, trigger);
    const [first, second] = proxy.calls;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
    expect([proxy.calls.length, keys().size, typeof [...keys()][0]]).toEqual([2, 1, 'string']);
  });

  test('a call is repeated after 503, after a proxy error, and while its first attempt is in progress', async () => {
    const steps = [
      problem(503, 'unavailable'),
      { status: 502, body: '<html>' },
      problem(409, 'idempotency_in_progress'),
    ];
    await client(...steps).endUsers.create({ external_id: 'steps' });
    expect([proxy.calls.length, keys().size]).toEqual([4, 1]);
  });

  test('a call whose response was lost is repeated without a second effect', async () => {
    const parley = client('lose the answer');
    const run = await parley.triggers.start(agent, trigger, { metadata: { lost: 'yes' } });
    expect([proxy.calls.length, keys().size]).toEqual([2, 1]);
    const runs = [];
    for await (const one of parley.runs.list(agent, trigger)) if (one.metadata['lost']) runs.push(one.id);
    expect(runs).toEqual([run.id]);

    proxy.plan.push('lose the answer');
    expect(await parley.endUsers.bulk([{ external_id: 'once' }])).toMatchObject({ created: 1 });
    expect(await people('once')).toBe(1);
    const [{ id }] = (await app.call('GET', '/api/end-users?external_id=once', { key: apiKey })).body.data;
    proxy.plan.push('lose the answer');
    await parley.endUsers.delete(id);
    expect(await people('once')).toBe(0);
    expect(await failed(parley.endUsers.delete(id))).toMatchObject({ code: 'end_user_not_found' });
  });

  test('a call is repeated with the Idempotency-Key of the caller', async () => {
    const parley = client('lose the answer');
    const [one, two] = [
      await parley.triggers.start(agent, trigger, {}, { idempotencyKey: 'mine' }),
      await parley.triggers.start(agent, trigger, {}, { idempotencyKey: 'mine' }),
    ];
    expect([one.id, [...keys()]]).toEqual([two.id, ['mine']]);
  });
});

describe('a call is not repeated', () => {
  test('a call is not repeated if another attempt cannot help', async () => {
    expect(await failed(client(problem(403, 'permission_missing')).me())).toMatchObject({
      code: 'permission_missing',
      requestId: 'req_1',
    });
    expect(proxy.calls).toHaveLength(1);
  });

  test('a call fails after its last retry, and immediately if Retry-After is too long', async () => {
    const down = problem(503, 'unavailable');
    const error = await failed(with_({ maxRetries: 1 }, down, down, down).me());
    expect([isParleyError(error, 'unavailable'), isParleyError(error, 'rate_limited')]).toEqual([true, false]);
    expect(error).toMatchObject({ attempts: 2, status: 503 });
    proxy.plan.length = 0;
    expect(await failed(client(problem(429, 'rate_limited', { 'retry-after': '3600' })).me())).toMatchObject({
      code: 'rate_limited',
      attempts: 1,
    });
  });
});

describe('a call ends', () => {
  test('a call ends if an attempt takes too long', async () => {
    expect(await failed(with_({ timeout: 150, maxRetries: 1 }, 'stall', 'stall').me())).toMatchObject({
      code: 'timed_out',
      attempts: 2,
    });
  });

  test('a call ends when its signal aborts: before the call, during it, and before a retry', async () => {
    const gone = new Error('gone');
    expect(await failed(client().me({ signal: AbortSignal.abort(gone) }))).toBe(gone);
    expect(proxy.calls).toHaveLength(0);
    for (const step of ['stall', problem(429, 'rate_limited', { 'retry-after': '60' })] as Step[]) {
      const end = new AbortController();
      const call = failed(client(step).me({ signal: end.signal }));
      const before = proxy.calls.length;
      await expect.poll(() => proxy.calls.length).toBe(before + 1);
      await pause(50);
      end.abort(gone);
      expect(await call).toBe(gone);
    }
  });

  test('a call reports a connection error if no server listens', async () => {
    const closed = await startFaultyProxy(app.url);
    await closed.close();
    const error = await failed(new Parley({ apiKey, baseUrl: closed.url, maxRetries: 1 }).me());
    expect(error).toMatchObject({ code: 'connection_failed', status: 0, attempts: 2, cause: expect.anything() });
  });
});

describe('a stream', () => {
  test.for(['run', 'message'])(
    'a stream that breaks after "%s" continues and delivers each message once',
    async (cutAfter) => {
      const texts: unknown[] = [];
      const names: string[] = [];
      const parley = client({ cutAfter });
      for await (const event of parley.triggers.stream(agent, trigger, {
        end_user: { external_id: cutAfter, name: 'Asha' },
        metadata: { cut: cutAfter },
      })) {
        names.push(event.event);
        if (event.event === 'message') texts.push(event.data.content);
      }
      expect(texts).toEqual([{ type: 'text', text: 'Hello Asha' }]);
      expect(names.at(-1)).toBe('run');
      const again = proxy.calls.slice(1).find(({ url }) => url.endsWith('/events'));
      // A fast agent may have answered before the first `run` event, or that event may already end the run.
      const had = cutAfter === 'message' ? ['msg_'] : [undefined, 'msg_'];
      expect(had).toContain(again?.headers['last-event-id']?.slice(0, 4));
      const runs = [];
      for await (const one of parley.runs.list(agent, trigger)) if (one.metadata['cut'] === cutAfter) runs.push(one);
      expect(runs).toHaveLength(1);
    },
  );

  test('the library polls the run if the server has no free stream', async () => {
    const parley = client();
    const person = { end_user: { external_id: 'no-stream', name: 'Asha' } };
    const run = await parley.triggers.start(agent, trigger, person);
    proxy.calls.length = 0;
    proxy.plan.push({
      status: 202,
      headers: { location: `${app.url}/api/triggers/${agent}/${trigger}/runs/${run.id}` },
      body: '{}',
    });
    const events = [];
    for await (const event of parley.triggers.stream(agent, trigger, person)) events.push(event);
    expect(events.filter(({ event }) => event === 'message')).toMatchObject([
      { data: { role: 'agent', content: { text: 'Hello Asha' } }, id: expect.stringMatching(/^msg_/) },
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'run', data: { id: run.id, status: 'waiting_for_user' } });
    expect(proxy.calls.filter(({ url }) => url.endsWith('/events'))).toEqual([]);
  });

  test('a stream ends when its signal aborts or its reader stops', async () => {
    const run = await client().triggers.start(agent, trigger, {}, { wait: 20 });
    const end = new AbortController();
    const events = client().runs.stream(run, { signal: end.signal });
    await events.next();
    await events.next();
    const next = failed(events.next());
    end.abort(new Error('enough'));
    expect(await next).toMatchObject({ message: 'enough' });
    for await (const _ of client().runs.stream(run)) break;
  });

  test('the stream of a run that does not exist is refused', async () => {
    const run = { id: 'run_01k8v3m9e5f7rsm6z4n0q2x1ab', agent_id: agent, trigger_id: trigger };
    expect(await failed(client().runs.stream(run).next())).toMatchObject({ code: 'run_not_found' });
  });
});

test('an API key in a browser page is refused', () => {
  (globalThis as { document?: unknown }).document = {};
  try {
    expect(() => new Parley({ apiKey, baseUrl: app.url })).toThrow(/backend/);
    expect(() => new Parley({ baseUrl: app.url })).not.toThrow();
  } finally {
    delete (globalThis as { document?: unknown }).document;
  }
});
