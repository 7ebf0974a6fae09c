import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryAttempt } from '../../../contract/dashboard/webhooks.ts';
import { givenOrganization } from '../../../test/factories.ts';
import { type Receiver, startReceiver } from '../../../test/fakes/receiver.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { deleteWebhook, updateWebhook } from '../../features/webhooks/change-webhook.ts';
import { rotateSecret } from '../../features/webhooks/rotate-secret.ts';
import { createWebhook } from '../../features/webhooks/create-webhook.ts';
import { recoverDeliveries } from '../../features/webhooks/recover-deliveries.ts';
import { resendDelivery } from '../../features/webhooks/deliveries.ts';
import { createEgress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { deriveKey } from '../../kernel/seal.ts';
import { verifyWebhook } from '../../kernel/standard-webhooks.ts';
import { createSealedOpener } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { claimEvents } from '../../store/events/deliver.ts';
import { cancelPending, deleteDeliveries } from '../../store/webhooks.ts';
import type { Worker } from '../claim-loop.ts';
import { deliverEvent, MAX_EVENT_ATTEMPTS } from './deliver-event.ts';
import { createEventWorker } from './deliver-events.ts';

const sealingKey = deriveKey('secret of the test', 'sealing');
const egress = createEgress({ allow: ['127.0.0.1'] });
const log = createLogger({ level: 'silent', pretty: false });
const actor = { userId: 'user_test', address: null, requestId: null };

let db: Db;
let receiver: Receiver;
let workers: Worker[];
let orgId: string;
let endpoint: { id: string; secret: string };

const depsWith = (through = egress) => ({ db, egress: through, sealingKey, wake: { events: () => {} } });
const worker = (through = egress) => {
  const openSealed = createSealedOpener(db, sealingKey);
  const made = createEventWorker({ db, log, egress: through, openSealed, random: () => 0 });
  workers.push(made);
  made.start();
  return made;
};

useDatabase((made) => (db = made));
beforeEach(async () => {
  await db.execute(sql`DELETE FROM webhook_endpoint`);
  workers = [];
  receiver = await startReceiver();
  orgId = await givenOrganization(db);
  endpoint = await createWebhook(depsWith(), orgId, { url: receiver.url }, actor);
});
afterEach(async () => {
  await Promise.all(workers.map((one) => one.stop(0)));
  await receiver.stop();
});
afterAll(async () => {
  await egress.close();
});

/** Creates a person: one event for every endpoint of the organization. */
async function happen(name = 'Asha'): Promise<string> {
  const id = newId('enduser');
  await db.execute(sql`INSERT INTO end_user (org_id, id, name) VALUES (${orgId}, ${id}, ${name})`);
  const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM event WHERE end_user_id = ${id}`);
  return rows[0]!.id;
}

type State = { state: string; attempts: number; wait: number | null; lease: string | null; history: DeliveryAttempt[] };
async function stateOf(eventId: string, endpointId = endpoint.id): Promise<State> {
  const { rows } = await db.execute<State>(sql`SELECT state, attempts, lease, history,
      round(extract(epoch FROM due_at - updated_at))::int AS wait
    FROM event_delivery WHERE event_id = ${eventId} AND endpoint_id = ${endpointId}`);
  return rows[0]!;
}
async function until(eventId: string, reached: (state: State) => boolean, endpointId = endpoint.id): Promise<State> {
  await expect.poll(async () => reached(await stateOf(eventId, endpointId)), { interval: 20 }).toBe(true);
  return stateOf(eventId, endpointId);
}
const attempted = (times: number) => (state: State) => state.history.length === times && state.lease === null;
const dueNow = (eventId: string) =>
  db.execute(sql`UPDATE event_delivery SET due_at = now() WHERE event_id = ${eventId}`);
const isSigned = (call: Receiver['calls'][number], secret: string) =>
  verifyWebhook(secret, call.headers as Record<string, string>, call.body, call.at);

describe('a delivery', () => {
  test('a delivery contains the envelope, signed over its exact bytes, in any script', async () => {
    const id = await happen('أهلاً "quoted" \u2028 🎉');
    worker();
    const state = await until(id, attempted(1));
    expect(state).toMatchObject({ state: 'delivered', wait: null });
    expect(state.history[0]).toMatchObject({ status: 200, error: null });
    const [call] = receiver.calls;
    expect(call!.headers['webhook-id']).toBe(id);
    expect(JSON.parse(call!.body.toString())).toMatchObject({
      id,
      type: 'end_user.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { name: 'أهلاً "quoted" \u2028 🎉' },
    });
    expect(isSigned(call!, endpoint.secret)).toBe(true);
    expect(isSigned({ ...call!, body: Buffer.concat([call!.body, Buffer.from(' ')]) }, endpoint.secret)).toBe(false);
  });

  test('a delivery is tried ten times with the same body and ID, after exactly the delays of the specification', async () => {
    receiver.answer = () => ({ status: 500, text: 'boom' });
    const id = await happen();
    const waker = worker();
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= MAX_EVENT_ATTEMPTS; attempt++) {
      const state = await until(id, attempted(attempt));
      waits.push(state.wait);
      await (attempt < MAX_EVENT_ATTEMPTS ? dueNow(id) : null);
      waker.wake();
    }
    const hour = 3_600;
    expect(waits).toEqual([5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour, null]);
    expect(await stateOf(id)).toMatchObject({ state: 'failed', attempts: 10 });
    expect(new Set(receiver.calls.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  });

  test('a waiting delivery becomes due when its endpoint accepts another event, and its attempts still count', async () => {
    receiver.answer = () => ({ status: 500 });
    const lost = [await happen('one'), await happen('two'), await happen('three')];
    const waker = worker();
    for (const id of lost) await until(id, attempted(1));
    await Promise.all(lost.map((id) => db.execute(sql`UPDATE event_delivery SET due_at = now() + interval '5 h', attempts = 5 WHERE event_id = ${id}`))); // prettier-ignore
    receiver.answer = () => ({ status: 200 });
    await until(await happen('four'), attempted(1));
    waker.wake();
    for (const id of lost) expect(await until(id, attempted(2))).toMatchObject({ state: 'delivered', attempts: 5 });
  });

  test('other events make a delivery due at most three times, so that a failing delivery ends', async () => {
    receiver.answer = ({ body }) => ({ status: body.includes('poison') ? 400 : 200 });
    const poison = await happen('poison');
    const waker = worker();
    await until(poison, attempted(1));
    for (let n = 0; n < 6; n++) {
      await db.execute(sql`UPDATE event_delivery SET due_at = due_at + interval '1 hour' WHERE event_id = ${poison} AND due_at IS NOT NULL`); // prettier-ignore
      await until(await happen(`healthy ${n}`), attempted(1));
      waker.wake();
      await until(poison, (state) => state.history.length >= Math.min(n + 2, 4) && state.lease === null);
    }
    expect(await stateOf(poison)).toMatchObject({ state: 'pending', attempts: 1, history: { length: 4 } });
    const { rows } = await db.execute(sql`SELECT early FROM event_delivery WHERE event_id = ${poison}`);
    expect(rows).toEqual([{ early: 3 }]);
  });

  test('all deliveries that failed since a time are recovered in their order', async () => {
    receiver.answer = () => ({ status: 500 });
    const before = await happen('before');
    const waker = worker();
    await until(before, attempted(1));
    const since = new Date(Date.now() + 1_000).toISOString();
    await db.execute(sql`UPDATE event SET created_at = now() - interval '1 hour' WHERE id = ${before}`);
    const [failed, cancelled, waiting] = [await happen('failed'), await happen('cancelled'), await happen('waiting')];
    for (const id of [failed, cancelled, waiting]) await until(id, attempted(1));
    await db.execute(
      sql`UPDATE event_delivery SET state = 'failed', due_at = NULL, attempts = 10 WHERE event_id = ${failed}`,
    );
    await db.execute(sql`UPDATE event_delivery SET state = 'cancelled', due_at = NULL WHERE event_id = ${cancelled}`);
    receiver.answer = () => ({ status: 200 });
    const from = receiver.calls.length;
    const recover = (body: { since: string }) => recoverDeliveries(depsWith(), orgId, endpoint.id, body, actor);
    expect(await recover({ since })).toEqual({ recovered: 0 });
    expect(await recover({ since: new Date(Date.now() - 60_000).toISOString() })).toEqual({ recovered: 3 });
    waker.wake();
    for (const id of [failed, cancelled, waiting])
      expect(await until(id, attempted(2))).toMatchObject({ state: 'delivered', attempts: 1 });
    const ids = receiver.calls.slice(from).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 3))).toEqual(new Set([failed, cancelled, waiting]));
    // What was delivered is not repeated.
    expect(await recover({ since: new Date(Date.now() - 60_000).toISOString() })).toEqual({ recovered: 0 });
    await db.execute(sql`UPDATE webhook_endpoint SET enabled = false WHERE id = ${endpoint.id}`);
    await expect(recover({ since })).rejects.toMatchObject({ code: 'webhook_disabled' });
  });

  test('the delay is longer by up to a tenth, and never shorter', async () => {
    receiver.answer = () => ({ status: 503 });
    await happen();
    const [claimed] = await claimEvents(db.$client, 'lease', { limit: 1, share: 1, busy: new Map() });
    const openSealed = createSealedOpener(db, sealingKey);
    const { signal } = new AbortController();
    for (const [random, wait] of [
      [0, 5_000],
      [0.5, 5_250],
      [1, 5_500],
    ] as const) {
      const { outcome } = await deliverEvent(claimed!, { egress, openSealed, signal, random: () => random });
      expect(outcome.againAfterMs).toBeCloseTo(wait);
    }
  });

  test.each([
    ['redirects, which is not followed', () => ({ status: 302, headers: { location: '/elsewhere' } }), 'redirect'],
    ['hangs up', () => 'reset' as const, 'unreachable'],
    ['refuses', () => ({ status: 401, text: 'who are you?' }), 'refused'],
  ])('a delivery to an endpoint that %s is retried', async (_what, answer, code) => {
    receiver.answer = answer;
    const id = await happen();
    worker();
    const state = await until(id, attempted(1));
    expect([state.state, state.wait, state.history[0]!.error!.code]).toEqual(['pending', 5, code]);
    expect(receiver.calls.map((call) => call.path)).toEqual(['/']);
  });

  test('a delivery without a response times out', async () => {
    const seen: (number | undefined)[] = [];
    const impatient: typeof egress = {
      ...egress,
      request: (request) => {
        seen.push(request.timeoutMs);
        return egress.request({ ...request, timeoutMs: 100 });
      },
    };
    receiver.answer = () => 'hang';
    const id = await happen();
    worker(impatient);
    const state = await until(id, attempted(1));
    expect([state.state, state.history[0]!.error!.code, seen]).toEqual(['pending', 'timeout', [15_000]]);
  });

  test('a delivery to a private address is refused, unless the operator allows it', async () => {
    const closed = createEgress({ allow: [] });
    const id = await happen();
    worker(closed);
    const state = await until(id, attempted(1));
    expect([state.state, state.history[0]!.error!.code]).toEqual(['pending', 'refused']);
    expect(receiver.calls).toEqual([]);
    const making = createWebhook(depsWith(closed), orgId, { url: receiver.url }, actor);
    await expect(making).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ pointer: '/url' }] },
    });
    await closed.close();
  });

  test('only the readable part of a response is stored', async () => {
    receiver.answer = () => ({ text: `a\0b${'é'.repeat(5_000)}` });
    const id = await happen();
    worker();
    const { history } = await until(id, attempted(1));
    expect(history[0]!.response.startsWith('a\uFFFDb')).toBe(true);
    expect(history[0]!.response).toHaveLength(1_000);
  });
});

test('410 disables the endpoint, ends its waiting deliveries, and is recorded in the audit log', async () => {
  receiver.answer = () => ({ status: 410 });
  const id = await happen();
  worker();
  expect((await until(id, attempted(1))).state).toBe('failed');
  const read = () => db.execute(sql`SELECT enabled, disabled_reason FROM webhook_endpoint WHERE id = ${endpoint.id}`);
  await expect.poll(async () => (await read()).rows).toEqual([{ enabled: false, disabled_reason: 'gone' }]);
  const audit = await db.execute(sql`SELECT actor, action FROM audit WHERE subject_id = ${endpoint.id} ORDER BY id`);
  expect(audit.rows).toEqual([
    { actor: 'user_test', action: 'webhook.created' },
    { actor: 'system', action: 'webhook.disabled' },
  ]);
  const place = { eventId: id, endpointId: endpoint.id };
  await expect(resendDelivery(depsWith(), orgId, place, actor)).rejects.toMatchObject({ code: 'webhook_disabled' });
  await db.execute(sql`INSERT INTO end_user (org_id, id) VALUES (${orgId}, 'enduser_later')`);
  const { rows } = await db.execute(sql`SELECT id FROM event WHERE end_user_id = 'enduser_later'`);
  expect(rows).toEqual([]);
});

test('a delivery contains both signatures during a rotation, and only the new one after that', async () => {
  const { secret } = await rotateSecret(depsWith(), orgId, endpoint.id, '1h', actor);
  worker();
  await happen();
  await receiver.received(1);
  expect([secret, endpoint.secret].map((one) => isSigned(receiver.calls[0]!, one))).toEqual([true, true]);
  await db.execute(sql`UPDATE webhook_endpoint SET previous_until = now() WHERE id = ${endpoint.id}`);
  await happen();
  await receiver.received(2);
  expect([secret, endpoint.secret].map((one) => isSigned(receiver.calls[1]!, one))).toEqual([true, false]);
  const { rows } = await db.execute<{ text: string }>(sql`SELECT w::text AS text FROM webhook_endpoint w`);
  for (const one of [secret, endpoint.secret]) expect(rows[0]!.text).not.toContain(one.slice(6));
});

test('a resent event has the same ID and a new series of attempts', async () => {
  receiver.answer = () => ({ status: 500 });
  const id = await happen();
  await db.execute(sql`UPDATE event_delivery SET attempts = 9 WHERE event_id = ${id}`);
  worker();
  expect((await until(id, attempted(1))).state).toBe('failed');
  receiver.answer = () => ({});
  await resendDelivery(depsWith(), orgId, { eventId: id, endpointId: endpoint.id }, actor);
  const state = await until(id, attempted(2));
  expect([state.state, state.attempts]).toEqual(['delivered', 1]);
  expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
});

describe('workers', () => {
  test('the deliveries of a dead worker are claimed by the next one after the lease', async () => {
    const id = await happen();
    // It claimed, called and was killed before it could store the answer.
    await claimEvents(db.$client, 'node_dead', { limit: 10, share: 8, busy: new Map() });
    worker();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(receiver.calls).toHaveLength(0);
    await dueNow(id);
    const state = await until(id, attempted(1));
    expect([state.state, receiver.calls.length]).toEqual(['delivered', 1]);
  });

  test('several workers share the work, and every event is sent once', async () => {
    receiver.answer = () => ({ delayMs: 20 });
    const ids = await Promise.all(Array.from({ length: 60 }, () => happen()));
    worker();
    worker();
    worker();
    for (const id of ids) await until(id, attempted(1));
    const sent = receiver.calls.map(({ headers }) => headers['webhook-id']);
    expect(sent).toHaveLength(ids.length);
    expect(new Set(sent)).toEqual(new Set(ids));
  });

  test('an endpoint that never answers delays no other, however many events wait for it', async () => {
    receiver.answer = () => 'hang';
    const healthy = await startReceiver();
    await db.execute(
      sql`INSERT INTO end_user (org_id, id) SELECT ${orgId}, 'enduser_' || n FROM generate_series(1, 1500) n`,
    );
    const other = await createWebhook(depsWith(), orgId, { url: healthy.url }, actor);
    const id = await happen();
    const { rows } = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM event_delivery
      WHERE due_at <= now() AND endpoint_id = ${endpoint.id}`);
    expect(rows[0]!.n).toBeGreaterThan(1_000);
    worker();
    expect((await until(id, attempted(1), other.id)).state).toBe('delivered');
    // The calls in progress to one endpoint are limited.
    expect(receiver.calls.length).toBeLessThanOrEqual(8);
    await healthy.stop();
  });

  test('stopping in the middle of a call returns the delivery to the queue without counting an attempt', async () => {
    receiver.answer = () => 'hang';
    const id = await happen();
    const stopped = worker();
    await receiver.received(1);
    await stopped.stop(0);
    expect(await stateOf(id)).toMatchObject({ state: 'pending', attempts: 0, lease: null, history: [] });
    receiver.answer = () => ({});
    worker();
    expect((await until(id, attempted(1))).state).toBe('delivered');
  });

  test('deleting an endpoint while its events are written does not fail the write', async () => {
    const client = await db.$client.connect();
    try {
      await client.query('BEGIN');
      await client.query('DELETE FROM webhook_endpoint WHERE id = $1', [endpoint.id]);
      const fact = db.execute(sql`INSERT INTO end_user (org_id, id) VALUES (${orgId}, 'enduser_meanwhile')`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await client.query('COMMIT');
      await expect(fact).resolves.toBeDefined();
    } finally {
      client.release();
    }
  });
});

describe('an endpoint with many deliveries', () => {
  /** Another transaction locks the delivery, so that no statement can change it. */
  async function lock(eventId: string): Promise<() => Promise<void>> {
    const client = await db.$client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM event_delivery WHERE event_id = $1 FOR UPDATE', [eventId]);
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  }
  const statesOf = async (ids: string[]) => Promise.all(ids.map(async (id) => (await stateOf(id))?.state));

  test.for(['disabled', 'deleted'])('an endpoint that is %s is off before its deliveries change', async (name) => {
    const id = await happen();
    const release = await lock(id);
    const change: Promise<unknown> =
      name === 'deleted'
        ? deleteWebhook(depsWith(), orgId, endpoint.id, actor)
        : updateWebhook(depsWith(), orgId, endpoint.id, { enabled: false }, actor);
    const read = () => db.execute(sql`SELECT enabled FROM webhook_endpoint WHERE id = ${endpoint.id}`);
    try {
      await expect.poll(async () => (await read()).rows).toEqual([{ enabled: false }]);
    } finally {
      await release();
    }
    await change;
    expect(await statesOf([id])).toEqual([name === 'deleted' ? undefined : 'cancelled']);
    expect((await read()).rows).toEqual(name === 'deleted' ? [] : [{ enabled: false }]);
  });

  test('an endpoint that is enabled again keeps its deliveries', async () => {
    const id = await happen();
    await cancelPending(db, orgId, endpoint.id);
    expect(await statesOf([id])).toEqual(['pending']);
  });

  test.for([
    { change: cancelPending, state: 'cancelled' },
    { change: deleteDeliveries, state: undefined },
  ])('deliveries are changed in pieces, each in its own transaction ($state)', async ({ change, state }) => {
    const ids = [await happen(), await happen(), await happen()].toSorted();
    await db.execute(sql`UPDATE webhook_endpoint SET enabled = false WHERE id = ${endpoint.id}`);
    const release = await lock(ids[2]!);
    const changed = change(db, orgId, endpoint.id, 2);
    try {
      await expect.poll(() => statesOf(ids)).toEqual([state, state, 'pending']);
    } finally {
      await release();
    }
    await changed;
    expect(await statesOf(ids)).toEqual([state, state, state]);
  });
});
