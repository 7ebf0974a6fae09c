import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  givenAgent,
  givenConversation,
  givenMember,
  givenOrganization,
  givenRecipientInQuietHours,
  givenTrigger,
} from '../../../test/factories.ts';
import { newId } from '../../kernel/ids.ts';
import {
  NO_KNOWLEDGE,
  type Provider,
  ProviderError,
  type TurnRequest,
  type TurnResult,
} from '../../engine/provider.ts';
import { takeOverConversation } from '../../features/conversations/hand-over.ts';
import { receiveMessage } from '../../features/conversations/receive-message.ts';
import { type AcceptQueue, createAcceptQueue } from '../../store/runs/accept.ts';
import { createEndUserQueue } from '../../store/end-users/upsert.ts';
import type { Db } from '../../store/db.ts';
import type { NewRun } from '../../store/runs/accept-call.ts';
import { type ClaimedRun, claimRuns, findOutdated } from '../../store/runs/claim.ts';
import { cancelRunRow } from '../../store/runs/read.ts';
import { eraseEndUser } from '../../store/end-users/erase.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import type { Worker } from '../claim-loop.ts';
import { createAgentLoader } from '../../answering/load-agent.ts';
import { NO_READERS } from '../../../test/no-readers.ts';
import { NO_TOOLS } from '../../../test/no-tools.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { createTurnWorker } from './turn-worker.ts';

let db: Db;
let queue: AcceptQueue;
let orgId: string;
let agentId: string;
let channelId: string;
let triggerId: string;
const workers: Worker[] = [];

useDatabase((made) => (db = made));
beforeAll(async () => {
  queue = createAcceptQueue(db);
  orgId = await givenOrganization(db);
  await givenMember(db, orgId, 'user_member');
  ({ agentId, channelId } = await givenAgent(db, orgId));
  triggerId = await givenTrigger(db, orgId, agentId);
});

afterEach(async () => {
  vi.useRealTimers();
  for (const worker of workers.splice(0)) await worker.stop(1_000);
  await db.execute(sql`UPDATE run SET due_at = NULL`);
  await db.execute(sql`UPDATE agent SET deleted_at = NULL`);
});

afterAll(async () => {
  await queue.drain();
});

/** A worker whose agents all use this function as their provider. */
function startWorker(turn: (request: TurnRequest) => TurnResult | Promise<TurnResult>, its: Db = db): Worker {
  const provider: Provider = { name: 'fake', turn: async (request) => turn(request) };
  const worker = createTurnWorker({
    endUserQueue: createEndUserQueue(db),
    liveDeltas: NO_READERS,
    callTool: NO_TOOLS,
    db: its,
    log: pino({ level: 'silent' }),
    loadAgent: createAgentLoader(db, async () => provider, { of: () => NO_KNOWLEDGE }),
    onStored: () => {},
  });
  workers.push(worker);
  worker.start();
  return worker;
}

const say = (text: string, more: Partial<TurnResult> = {}): TurnResult => ({
  messages: [{ content: { type: 'text', text }, sources: [] }],
  state: {},
  next: 'waiting_for_user',
  tags: [],
  opted_out: false,
  trace: { provider: 'fake', steps: [] },
  ...more,
});

async function accept(message: string | null = null, sendAt: Date | null = null) {
  const outcome = await queue.accept({
    orgId,
    keyId: null,
    from: null,
    agentId,
    triggerId,
    channelId,
    address: null,
    channelKind: 'sandbox',
    addressFrom: null,
    endUser: null,
    fillsOnly: false,
    conversation: null,
    message,
    optsOutOf: null,
    input: {},
    sendAt,
    requestId: 'req_test',
    idempotency: null,
    answer: () => ({ status: 202, location: null, body: '{}' }),
  });
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.run;
}

type RunState = {
  status: string;
  reason: string | null;
  error: { code: string } | null;
  attempts: number;
  turns: number;
};
const runState = async (id: string): Promise<RunState> =>
  (await db.execute<RunState>(sql`SELECT status, reason, error, attempts, turns FROM run WHERE id = ${id}`)).rows[0]!;

async function until(id: string, reached: (state: RunState) => boolean): Promise<RunState> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const state = await runState(id);
    if (reached(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never reached; it is at ${JSON.stringify(await runState(id))}`);
}

const markAgentDeleted = () => db.execute(sql`UPDATE agent SET deleted_at = now() WHERE id = ${agentId}`);

const agentTexts = async (conversationId: string): Promise<string[]> =>
  (
    await db.execute<{ text: string }>(
      sql`SELECT content ->> 'text' AS text FROM message WHERE conversation_id = ${conversationId} AND role = 'agent' ORDER BY id`,
    )
  ).rows.map((row) => row.text);

describe('turns', () => {
  test('a turn answers the message, or opens the conversation without one', async () => {
    startWorker((request) => say(request.input.length === 0 ? 'opening' : `you said ${request.input.join(' | ')}`));
    const [opened, answered] = [await accept(), await accept('hello')];
    await until(opened.id, (run) => run.status === 'waiting_for_user');
    await until(answered.id, (run) => run.status === 'waiting_for_user');
    expect(await agentTexts(opened.conversationId)).toEqual(['opening']);
    expect(await agentTexts(answered.conversationId)).toEqual(['you said hello']);
  });

  test('a turn uses the person’s time zone: “tomorrow” is tomorrow there', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    startWorker((request) => {
      resolve(request.variables['end_user']);
      return say('opening');
    });
    const sendAt = new Date(Date.now() + 3_600_000);
    const run = await accept(null, sendAt);
    await db.execute(sql`UPDATE end_user SET time_zone = 'Asia/Qatar', locale = 'ar-QA'
      WHERE id = (SELECT end_user_id FROM conversation WHERE id = ${run.conversationId})`);
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${run.id}`);
    expect(await promise).toMatchObject({ time_zone: 'Asia/Qatar', locale: 'ar-QA' });
  });

  test('two workers never answer the same run twice', async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      return say('once');
    };
    startWorker(turn);
    startWorker(turn);
    const runs = await Promise.all(Array.from({ length: 100 }, () => accept()));
    for (const run of runs) await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(turns).toBe(100);
    const messages = await db.execute(
      sql`SELECT run_id FROM message WHERE run_id = ANY (${sql.param(runs.map((run) => run.id))}) GROUP BY run_id HAVING count(*) <> 1`,
    );
    expect(messages.rows).toEqual([]);
  });

  test('a backlog of one organization is processed without waiting for the next poll', async () => {
    await Promise.all(Array.from({ length: 500 }, () => accept()));
    const count = async (what: string) =>
      (await db.execute<{ n: number }>(sql.raw(`SELECT count(*)::int AS n FROM run WHERE ${what}`))).rows[0]!.n;
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const ended = await count('turns > 0');
    // The second claim is the maximum for one organization beside the first one; while it arrives, the first ends.
    const firstEnds = Promise.withResolvers<void>();
    let claims = 0;
    const query = async (asked: QueryConfig) => {
      const found = await db.$client.query(asked);
      if (asked.name !== 'claim-run' || ++claims !== 2) return found;
      firstEnds.resolve();
      while ((await count('turns > 0')) === ended) await nextTurn();
      for (let times = 0; times < 10; times++) await nextTurn();
      return found;
    };
    // The poll is a timer: with fake timers it never fires, so only the work itself can cause the next claim.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const speak = () => firstEnds.promise.then(() => say('Hi'));
    startWorker(speak, { $client: { query } } as unknown as Db);
    while ((await count('due_at IS NOT NULL')) > 0) await nextTurn();
    expect((await count('turns > 0')) - ended).toBe(500);
  });

  test('turns in a deadlock with a renewal of their leases are stored, and no model is called again', async () => {
    const mayEnd = Promise.withResolvers<void>();
    let turns = 0;
    startWorker(async () => {
      turns++;
      await mayEnd.promise;
      return say('once');
    });
    const runs = await Promise.all([accept(), accept()]);
    const [stored, waiting] = runs.toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1));
    await expect.poll(() => turns).toBe(2);
    // As a renewal, which locks the runs in another order.
    const renewal = await db.$client.connect();
    const renew = (id: string) => renewal.query('UPDATE run SET attempts = attempts WHERE id = $1', [id]);
    await renewal.query('BEGIN');
    await renew(waiting!.id);
    mayEnd.resolve();
    const isLocked = async () =>
      (await db.execute(sql`SELECT FROM run WHERE id = ${stored!.id} FOR UPDATE SKIP LOCKED`)).rows.length === 0;
    await expect.poll(isLocked).toBe(true);
    // The side that waits first looks for a deadlock first, and ends. On a very busy machine, it may be this side.
    await renew(stored!.id).catch(() => {});
    await renewal.query('COMMIT');
    renewal.release();
    for (const run of runs)
      expect(await until(run.id, ({ status }) => status !== 'running')).toMatchObject({
        status: 'waiting_for_user',
        error: null,
      });
    expect(turns).toBe(2);
  });

  test('a message that arrives during a turn discards that turn, and one answer covers both messages', async () => {
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    let go!: () => void;
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    let first = true;
    startWorker(async (request) => {
      if (first) {
        first = false;
        begun();
        await mayGo;
      }
      return say(`you said ${request.input.join(' | ')}`);
    });
    const run = await accept('one');
    await hasBegun;
    const deps = { db, onAccepted: () => {} };
    await receiveMessage(deps, orgId, run.conversationId, 'two', null);
    go();
    await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(run.conversationId)).toEqual(['you said one | two']);
  });

  test('a message during a model call aborts the turn, so that the answer covers all messages', async () => {
    const thinking = Promise.withResolvers<void>();
    let turns = 0;
    startWorker((request) => {
      if (++turns > 1) return say(`you said ${request.input.join(' | ')}`);
      thinking.resolve();
      // A model that never answers by itself.
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
      });
    });
    const run = await accept('one');
    await thinking.promise;
    const deps = { db, onAccepted: () => {} };
    await receiveMessage(deps, orgId, run.conversationId, 'two', null);
    await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(run.conversationId)).toEqual(['you said one | two']);
    expect(turns).toBe(2);
  });

  test('a burst longer than the history is read from its beginning, because it may contain a “stop”', async () => {
    const run = await accept('stop');
    const deps = { db, onAccepted: () => {} };
    for (let index = 0; index < 60; index++)
      await receiveMessage(deps, orgId, run.conversationId, `and ${index}`, null);
    startWorker(({ input, history }) => say(`${input[0]}, ${input.length} of ${history.length}, ${input.at(-1)}`));
    await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(run.conversationId)).toEqual(['stop, 61 of 40, and 59']);
  });

  test('a human who takes over aborts the turn in progress', async () => {
    const thinking = Promise.withResolvers<void>();
    const brokenOff = Promise.withResolvers<void>();
    startWorker((request) => {
      thinking.resolve();
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => {
          brokenOff.resolve();
          reject(request.signal.reason as Error);
        });
      });
    });
    const run = await accept('one');
    await thinking.promise;
    const actor = { userId: 'user_member', address: null, requestId: null };
    await takeOverConversation({ db }, orgId, run.conversationId, actor);
    await brokenOff.promise;
    await until(run.id, (state) => state.status === 'handed_off');
    expect(await agentTexts(run.conversationId)).toEqual([]);
  });

  test.each([
    [
      'a person who is erased',
      (run: NewRun) =>
        db.transaction((tx) => eraseEndUser(tx, orgId, run.endUserId, createSuppression(randomBytes(32)))),
    ],
    ['a cancelled run', (run: NewRun) => cancelRunRow(db, orgId, run.id)],
    ['a deleted agent', markAgentDeleted],
  ])('the turn of %s is aborted at the next check, before a renewal of its lease', async (_, end) => {
    const thinking = Promise.withResolvers<void>();
    const brokenOff = Promise.withResolvers<void>();
    startWorker((request) => {
      thinking.resolve();
      return new Promise((_resolve, reject) => {
        request.signal.addEventListener('abort', () => {
          brokenOff.resolve();
          reject(request.signal.reason as Error);
        });
      });
    });
    const run = await accept('one');
    await thinking.promise;
    const [claimed] = (
      await db.execute<ClaimedRun>(sql`SELECT r.org_id, r.id AS run_id, r.lease, c.id AS conversation_id,
      c.version AS conversation_version FROM run r JOIN conversation c ON c.id = r.conversation_id
      WHERE r.id = ${run.id}`)
    ).rows;
    expect(await findOutdated(db.$client, [claimed!])).toEqual(new Set());
    await end(run);
    expect(await findOutdated(db.$client, [claimed!])).toEqual(new Set([run.id]));
    await brokenOff.promise;
  });

  test.each([
    ['rule', 'rule'],
    ['what a later version says', 'model'],
  ])('a hand-off of the agent is recorded once, with its reason (%s)', async (reason, recorded) => {
    const steps = [{ kind: 'hand_off', detail: 'why', reason }];
    startWorker(() => say('A colleague answers.', { next: 'handed_off', trace: { provider: 'fake', steps } }));
    const run = await accept('one');
    await until(run.id, (state) => state.status === 'handed_off');
    const { rows } = await db.$client.query(
      'SELECT h.reason, h.at = c.handed_off_at AS same FROM hand_off h JOIN conversation c ON c.id = h.conversation_id WHERE c.id = $1',
      [run.conversationId],
    );
    expect(rows).toEqual([{ reason: recorded, same: true }]);
  });

  test('a turn whose lease was lost changes nothing', async () => {
    const run = await accept('one');
    let go!: () => void;
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    startWorker(async () => {
      begun();
      await mayGo;
      return say('too late');
    });
    await hasBegun;
    await db.execute(
      sql`UPDATE run SET lease = 'another worker', due_at = now() + interval '1 hour' WHERE id = ${run.id}`,
    );
    go();
    await workers[0]!.stop(1_000);
    workers.length = 0;
    expect(await agentTexts(run.conversationId)).toEqual([]);
    expect((await runState(run.id)).status).toBe('running');
  });

  test('a turn whose lease was lost does not release a later claim of the same worker', async () => {
    const run = await accept('one');
    const turns: PromiseWithResolvers<TurnResult>[] = [];
    startWorker(() => {
      const turn = Promise.withResolvers<TurnResult>();
      turns.push(turn);
      return turn.promise;
    });
    await expect.poll(() => turns.length).toBe(1);
    await db.execute(sql`UPDATE run SET lease = NULL, due_at = now() WHERE id = ${run.id}`);
    await expect.poll(() => turns.length).toBe(2);
    const leaseOf = async () => (await db.execute(sql`SELECT lease FROM run WHERE id = ${run.id}`)).rows[0]!['lease'];
    const later = await leaseOf();
    const released = vi.spyOn(db, 'execute');
    turns[0]!.reject(new ProviderError('provider_unreachable', 'The call failed.', { retryable: true }));
    await expect.poll(() => released.mock.results.length).toBeGreaterThan(0);
    await Promise.all(released.mock.results.map(({ value }) => value as Promise<unknown>));
    released.mockRestore();
    expect(await leaseOf()).toBe(later);
    turns[1]!.resolve(say('in time'));
    await until(run.id, ({ turns: count }) => count === 1);
    expect(await agentTexts(run.conversationId)).toEqual(['in time']);
  });

  test('the opening of a campaign that was delayed into quiet hours waits for their end', async () => {
    const { id: conversationId, endUserId } = await givenConversation(db, orgId, channelId);
    const runId = newId('run', Date.now() - 120_000);
    const input = JSON.stringify({
      variables: {},
      campaign_id: 'campaign_night',
      opening: { type: 'text', text: 'Hi' },
    });
    await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, input)
      VALUES (${orgId}, ${runId}, ${conversationId}, 'queued', ${input}::jsonb)`);
    await db.execute(sql`UPDATE conversation SET run_id = ${runId} WHERE id = ${conversationId}`);
    await givenRecipientInQuietHours(db, orgId, { conversationId, endUserId, runId });
    startWorker(() => say('not now'));
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${runId}`);
    const waits = async () =>
      (
        await db.execute(sql`SELECT 1 FROM run WHERE id = ${runId} AND lease IS NULL AND attempts = 0
        AND due_at > now() + interval '3 hours'`)
      ).rows.length;
    await expect.poll(waits).toBe(1);
    await db.execute(sql`UPDATE campaign SET settings = '{}' WHERE org_id = ${orgId}`);
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${runId}`);
    await until(runId, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(conversationId)).toEqual(['Hi']);
  });

  test('an opening whose turn lasts into quiet hours is not sent, and is made again after them', async () => {
    const { id: conversationId, endUserId } = await givenConversation(db, orgId, channelId);
    const runId = newId('run', Date.now() - 120_000);
    const input = JSON.stringify({ variables: {}, campaign_id: 'campaign_night' });
    await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, input)
      VALUES (${orgId}, ${runId}, ${conversationId}, 'queued', ${input}::jsonb)`);
    await db.execute(sql`UPDATE conversation SET run_id = ${runId} WHERE id = ${conversationId}`);
    await givenRecipientInQuietHours(db, orgId, { conversationId, endUserId, runId });
    const { rows } = await db.execute<{ settings: unknown }>(
      sql`SELECT settings FROM campaign WHERE org_id = ${orgId} AND settings <> '{}'`,
    );
    const setHours = (settings: unknown) =>
      db.execute(sql`UPDATE campaign SET settings = ${JSON.stringify(settings)}::jsonb WHERE org_id = ${orgId}`);
    await setHours({});
    let turns = 0;
    startWorker(async () => {
      if (++turns === 1) await setHours(rows[0]!.settings);
      return say(`turn ${turns}`);
    });
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${runId}`);
    const waits = async () =>
      (await db.execute(sql`SELECT 1 FROM run WHERE id = ${runId} AND due_at > now() + interval '3 hours'`)).rows
        .length;
    await expect.poll(waits).toBe(1);
    expect(await agentTexts(conversationId)).toEqual([]);
    await setHours({});
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${runId}`);
    await until(runId, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(conversationId)).toEqual(['turn 2']);
  });

  test('the run of a dead worker is claimed by another after its lease', async () => {
    const run = await accept();
    expect(await claimRuns(db.$client, 'a worker that dies', 10)).toHaveLength(1);
    startWorker(() => say('taken over'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await runState(run.id)).status).toBe('running');
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${run.id}`);
    await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(await agentTexts(run.conversationId)).toEqual(['taken over']);
  });

  test('a scheduled run waits for its time', async () => {
    let begun = 0;
    startWorker(() => {
      begun = Date.now();
      return say('on time');
    });
    const tomorrow = await accept(null, new Date(Date.now() + 86_400_000));
    const at = Date.now() + 700;
    const run = await accept(null, new Date(at));
    await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(begun).toBeGreaterThanOrEqual(at);
    expect((await runState(tomorrow.id)).status).toBe('scheduled');
  });

  test('the queued and scheduled runs of a deleted agent end without a turn, and a “stop” still counts', async () => {
    const later = new Date(Date.now() + 300);
    const [stop, ...others] = [await accept('STOP'), await accept('one'), await accept(null, later)];
    await markAgentDeleted();
    const turn = vi.fn<() => TurnResult>(() => say('hello'));
    startWorker(turn);
    for (const { id } of [stop, ...others])
      expect(await until(id, ({ status }) => status === 'cancelled')).toMatchObject({ reason: 'agent_deleted' });
    expect(turn).not.toHaveBeenCalled();
    const { rows } = await db.execute(
      sql`SELECT consent -> 'sandbox' ->> 'status' AS status FROM end_user WHERE id = ${stop.endUserId}`,
    );
    expect(rows).toEqual([{ status: 'opted_out' }]);
  });
});

describe('failures', () => {
  test('a failed turn is retried with a visible reason until it succeeds', async () => {
    let calls = 0;
    startWorker(() => {
      calls++;
      const often = { retryable: true, retryAfterMs: 3_600_000 };
      if (calls === 1) throw new ProviderError('provider_rate_limited', 'Too many calls.', often);
      return say('after all');
    });
    const run = await accept();
    const waiting = await until(run.id, (state) => state.error !== null);
    expect(waiting).toMatchObject({ status: 'queued', error: { code: 'provider_rate_limited' } });
    await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${run.id}`);
    const done = await until(run.id, (state) => state.status === 'waiting_for_user');
    expect(done.error).toBeNull();
    expect(await agentTexts(run.conversationId)).toEqual(['after all']);
  });

  test('a turn that times out is aborted and retried later', async () => {
    const run = await accept();
    const asked = Promise.withResolvers<AbortSignal>();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    startWorker(({ signal }) => {
      asked.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const signal = await asked.promise;
    await vi.advanceTimersByTimeAsync(119_000);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(signal.aborted).toBe(true);
    const state = await until(run.id, ({ error }) => error !== null);
    expect(state).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'provider_timeout' } });
  });

  test.each([true, false])(
    'a reason that the database cannot store ends no turn without it (retryable: %s)',
    async (retryable) => {
      startWorker(() => {
        throw new ProviderError('provider_refused', 'No\u0000 \ud83d', { retryable, retryAfterMs: 3_600_000 });
      });
      const run = await accept();
      const state = await until(run.id, ({ error }) => error !== null);
      expect(state).toMatchObject({ status: retryable ? 'queued' : 'failed', error: { detail: 'No\ufffd \ufffd' } });
    },
  );

  test('permanent failures end the run with their reason', async () => {
    startWorker(() => {
      throw new ProviderError('provider_refused', 'The key is wrong.', { retryable: false });
    });
    const run = await accept();
    const dead = await until(run.id, (state) => state.status === 'failed');
    expect(dead).toMatchObject({ reason: 'provider_refused', error: { code: 'provider_refused' } });
  });
});

describe('people', () => {
  test('people who opted out get no more messages', async () => {
    const run = await accept(null, new Date(Date.now() + 400));
    await db.execute(
      sql`UPDATE end_user SET consent = '{"sandbox":{"status":"opted_out"}}' WHERE id = ${run.endUserId}`,
    );
    startWorker(() => say('hello'));
    const skipped = await until(run.id, (state) => state.status === 'skipped');
    expect(skipped.reason).toBe('opted_out');
    expect(await agentTexts(run.conversationId)).toEqual([]);
  });

  test('people who ask to stop are opted out', async () => {
    startWorker(() => say('Done.', { next: 'completed', opted_out: true }));
    const run = await accept('STOP');
    await until(run.id, (state) => state.status === 'completed');
    const found = await db.execute(
      sql`SELECT consent -> 'sandbox' ->> 'status' AS status FROM end_user WHERE id = ${run.endUserId}`,
    );
    expect(found.rows[0]).toEqual({ status: 'opted_out' });
  });
});
