import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ProviderError } from '../engine/provider.ts';
import { createBatcher } from '../kernel/batcher.ts';
import { newId } from '../kernel/ids.ts';
import { createTally } from '../kernel/tally.ts';
import type { Db } from '../store/db.ts';
import { isMoreDue } from '../store/queue-lanes.ts';
import { setConsent } from '../store/turns/set-consent.ts';
import { type ClaimedRun, claimRuns, findOutdated, renewRuns, RUN_LEASE_SECONDS } from '../store/turns/claim-runs.ts';
import { type CompletedTurn, completeTurns, CONTINUED, type TurnOutcome } from '../store/turns/complete-turns.ts';
import { failRun, releaseRun } from '../store/turns/release-run.ts';
import { SETTLE_MS } from '../store/turns/settle.ts';
import type { LoadAgent } from './load-agent.ts';
import { createLookLoop, waitOrBreakOff } from './look-loop.ts';
import { completedTurn, openingTurn, silentTurn, skipReason, turnRequest } from './take-turn.ts';

/**
 * The turn worker: claims due runs in batches, lets the agent's provider speak, stores the turn. At least once, and
 * never two answers: a turn that could not be stored is computed again, one that was stored is never computed again,
 * because the lease and the conversation's version are checked in the storing statement itself. Many workers share one
 * database without knowing of each other.
 */
export type TurnWorker = {
  start(): void;
  /** Something became due: look now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more, waits for turns under way (at most `graceMs`), gives the rest back. */
  stop(graceMs: number): Promise<void>;
};

export type TurnWorkerOptions = {
  db: Db;
  log: Logger;
  loadAgent: LoadAgent;
  /** True while this process accepts as fast as it can: accepting comes before working off, which can wait. */
  pressed?(): boolean;
  /** Called after turns were stored, for those who wait for an answer. */
  onStored(): void;
};

/** Turns under way at once at most; most of them wait for a model. */
const CAPACITY = 400;
const CLAIM_BATCH = 200;
/** Of these for the organizations of one lane: turns that hang must leave places to everybody else. */
const MAX_PER_LANE = 350;
/** How long an idle worker sleeps: a run accepted by another process waits this long at most. */
const POLL_MS = 200;
/** While calls press in, so many runs are claimed every PRESSED_PAUSE_MS all the same: nothing waits for ever. */
const PRESSED_BATCH = 50;
const PRESSED_PAUSE_MS = 100;
/** A run that was claimed this often without ending is dead. */
const MAX_ATTEMPTS = 8;
const MAX_BACKOFF_MS = 5 * 60_000;
const TURN_TIMEOUT_MS = 120_000;
/** Turns that take longer than this are asked about as often: nobody waits for a model that answers too little. */
const OUTDATED_MS = 500;

export function createTurnWorker({ db, log, loadAgent, pressed, onStored }: TurnWorkerOptions): TurnWorker {
  const pool = db.$client;
  const lease = newId('node');
  const underWay = new Set<{ run: ClaimedRun; abort: AbortController; done: Promise<void>; since: number }>();
  const lanes = createTally<number>();
  let heartbeat: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let watching = false;

  const store = createBatcher<CompletedTurn, TurnOutcome>({
    size: CLAIM_BATCH,
    lanes: 2,
    queue: CAPACITY * 2,
    send: async (turns) => {
      const outcomes = await completeTurns(pool, turns);
      // crash point: worker:after-store
      onStored();
      return outcomes;
    },
    full: () => new Error('The turn worker is stopping'),
  });

  const loop = createLookLoop(POLL_MS, async () => {
    const isPressed = pressed?.() ?? false;
    const room = Math.min(isPressed ? PRESSED_BATCH : CLAIM_BATCH, CAPACITY - underWay.size);
    let claimed: ClaimedRun[] = [];
    try {
      if (room > 0) claimed = await claimRuns(pool, lease, room, lanes.counts, MAX_PER_LANE);
    } catch (error) {
      if (!loop.isStopping()) log.warn({ err: error }, 'the worker cannot claim runs; it tries again');
    }
    // crash point: worker:after-claim
    for (const run of claimed) begin(run);
    if (isPressed && !loop.isStopping()) await pause(PRESSED_PAUSE_MS);
    return isPressed || isMoreDue(claimed, room);
  });

  function begin(run: ClaimedRun): void {
    const abort = new AbortController();
    const one = { run, abort, done: Promise.resolve(), since: performance.now() };
    underWay.add(one);
    lanes.add(run.lane);
    one.done = takeTurn(run, abort.signal).finally(() => {
      const wasFull = underWay.size === CAPACITY || lanes.of(run.lane) === MAX_PER_LANE;
      underWay.delete(one);
      lanes.remove(run.lane);
      if (wasFull) loop.wake();
    });
  }

  async function takeTurn(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    try {
      if (run.attempts > MAX_ATTEMPTS) {
        return await failRun(pool, run, {
          code: 'attempts_exhausted',
          detail: `The run did not end in ${MAX_ATTEMPTS} attempts.`,
        });
      }
      const turn = await speak(run, signal);
      // crash point: worker:before-store
      if ((await store.add(turn)) === 'outdated') {
        // Somebody wrote meanwhile (or our lease is gone, then this does nothing): speak again, knowing it.
        await again(run);
      }
    } catch (error) {
      await giveBack(run, error, signal).catch((failure: unknown) =>
        log.warn(
          { err: failure, run_id: run.run_id },
          'a run could not be given back; it is taken again when its lease ends',
        ),
      );
    }
  }

  /** Whoever has just written may have more to say; on the sandbox every message is meant to be answered. */
  async function again(run: ClaimedRun): Promise<void> {
    await releaseRun(pool, run, { afterMs: run.channel_kind === 'sandbox' ? 0 : SETTLE_MS, refund: true });
    loop.wake();
  }

  async function speak(run: ClaimedRun, signal: AbortSignal): Promise<CompletedTurn> {
    const skip = skipReason(run);
    if (skip !== null) return silentTurn(run, 'skipped', skip);
    if (run.conversation_status === 'handed_off') return silentTurn(run, 'handed_off', null);
    if (run.turns === 0 && run.input.opening && run.unanswered.length === 0) return openingTurn(run, run.input.opening);
    const loaded = await loadAgent(run.org_id, run.agent_id, run.agent_revision);
    const tooLate = new AbortController();
    const request = turnRequest(run, loaded, AbortSignal.any([signal, tooLate.signal]));
    // Woken without anything new to answer: back to waiting, unless another run has answered it.
    if (run.turns > 0 && request.input.length === 0) {
      const isCurrent = run.conversation_run_id === run.run_id;
      return isCurrent ? silentTurn(run, 'waiting_for_user', null) : silentTurn(run, 'completed', CONTINUED);
    }
    const answer = loaded.provider.turn(request);
    const result = answer instanceof Promise ? await withTimeout(answer, TURN_TIMEOUT_MS, tooLate) : answer;
    if (result.opted_out) await setConsent(db, run.org_id, run.end_user.id, run.channel_kind, 'opted_out', 'stop_word');
    return completedTurn(run, result);
  }

  async function giveBack(run: ClaimedRun, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted && !loop.isStopping()) return again(run);
    if (loop.isStopping()) return releaseRun(pool, run, { afterMs: 0, refund: true });
    const known = error instanceof ProviderError;
    const problem = {
      code: known ? error.code : 'internal_error',
      detail: known ? error.message : 'The turn failed inside Parley; the log has the reason.',
    };
    log.warn({ err: error, run_id: run.run_id, attempts: run.attempts, request_id: run.request_id }, 'a turn failed');
    if ((known && !error.retryable) || run.attempts >= MAX_ATTEMPTS) return failRun(pool, run, problem);
    const backoff = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (run.attempts - 1)) * (0.75 + Math.random() / 2);
    await releaseRun(pool, run, { afterMs: Math.max(backoff, (known && error.retryAfterMs) || 0), error: problem });
  }

  /** Keeps our runs ours; one that was lost all the same is stopped, since its turn can no longer be stored. */
  async function renew(): Promise<void> {
    const held = [...underWay];
    if (held.length === 0) return;
    const ours = await renewRuns(
      pool,
      held.map(({ run }) => run),
    ).catch(() => null);
    if (ours === null) return;
    for (const one of held) if (!ours.has(one.run.run_id) && underWay.has(one)) one.abort.abort();
  }

  /** A turn that can no longer be stored is broken off, so that the answer to all that was said begins now. */
  async function breakOffOutdated(): Promise<void> {
    const old = performance.now() - OUTDATED_MS;
    const slow = [...underWay].filter(({ since, abort }) => since < old && !abort.signal.aborted);
    if (slow.length === 0 || watching) return;
    watching = true;
    const runs = slow.map(({ run }) => run);
    const outdated = await findOutdated(pool, runs).catch(() => new Set<string>());
    watching = false;
    for (const { run, abort } of slow) if (outdated.has(run.run_id)) abort.abort();
  }

  return {
    start: () => {
      heartbeat = setInterval(() => void renew(), (RUN_LEASE_SECONDS * 1_000) / 3);
      watch = setInterval(() => void breakOffOutdated(), OUTDATED_MS);
      loop.start();
    },
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop();
      const all = Promise.all([...underWay].map(({ done }) => done));
      await waitOrBreakOff(all, graceMs, () => {
        for (const { abort } of underWay) abort.abort();
      });
      clearInterval(heartbeat);
      clearInterval(watch);
      await store.drain();
    },
  };
}

/** A turn that comes too late is broken off: nobody waits for it any more, and nothing more may be done for it. */
async function withTimeout<T>(work: Promise<T>, ms: number, breakOff: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new ProviderError('provider_timeout', 'The provider did not finish the turn in time.', { retryable: true }),
      );
      breakOff.abort();
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
