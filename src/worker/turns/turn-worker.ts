import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ProviderError } from '../../engine/provider.ts';
import { newId } from '../../kernel/ids.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { createTally } from '../../kernel/tally.ts';
import type { Db } from '../../store/db.ts';
import { isMoreDue } from '../../store/queue/lanes.ts';
import { setConsent } from '../../store/end-users/set-consent.ts';
import { type ClaimedRun, claimRuns, findOutdated, renewRuns, RUN_LEASE_SECONDS } from '../../store/runs/claim.ts';
import { type CompletedTurn, completeTurns, CONTINUED, type TurnOutcome } from '../../store/runs/complete.ts';
import { failRun, releaseRun } from '../../store/runs/release.ts';
import { SETTLE_MS } from '../../store/runs/settle.ts';
import { createClaimLoop, type Worker } from '../claim-loop.ts';
import type { LoadAgent } from './load-agent.ts';
import { completedTurn, openingTurn, silentTurn, skipReason, turnRequest } from './take-turn.ts';

/**
 * The turn worker: claims due runs in batches, lets the agent's provider speak, stores the turn. At least once, and
 * never two answers: a turn that could not be stored is computed again, one that was stored is never computed again,
 * because the lease and the conversation's version are checked in the storing statement itself. Many workers share one
 * database without knowing of each other.
 */
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
/** While calls press in, this many runs are still claimed every PRESSED_PAUSE_MS: nothing waits for ever. */
const PRESSED_BATCH = 50;
const PRESSED_PAUSE_MS = 100;
/** A run that was claimed this often without ending is dead. */
const MAX_ATTEMPTS = 8;
const MAX_BACKOFF_MS = 5 * 60_000;
const TURN_TIMEOUT_MS = 120_000;
/** Turns that take longer than this are checked this often: a model need not finish an answer that is out of date. */
const OUTDATED_MS = 500;

export function createTurnWorker({ db, log, loadAgent, pressed, onStored }: TurnWorkerOptions): Worker {
  const pool = db.$client;
  const lease = newId('node');
  const lanes = createTally<number>();
  const share = createLoopShare();
  let watch: NodeJS.Timeout | undefined;
  let watching = false;

  const loop = createClaimLoop<ClaimedRun, CompletedTurn, TurnOutcome>({
    rows: 'runs',
    log,
    pollMs: POLL_MS,
    capacity: CAPACITY,
    batch: CLAIM_BATCH,
    leaseSeconds: RUN_LEASE_SECONDS,
    claim: async (limit) => {
      const isPressed = pressed?.() ?? false;
      if (isPressed) await pause(PRESSED_PAUSE_MS);
      const room = isPressed ? Math.min(PRESSED_BATCH, limit) : limit;
      const claimed = await claimRuns(pool, lease, room, lanes.counts, MAX_PER_LANE);
      // crash point: worker:after-claim
      return { claimed, isMoreDue: isPressed || isMoreDue(claimed, room) };
    },
    renew: async (runs) => {
      const ours = await renewRuns(pool, runs);
      return (run) => ours.has(run.run_id);
    },
    work: ({ row, abort }) => takeTurn(row, abort.signal),
    complete: async (turns) => {
      const outcomes = await completeTurns(pool, turns);
      // crash point: worker:after-store
      onStored();
      return outcomes;
    },
    storeLanes: 2,
    ids: (run) => ({ run_id: run.run_id }),
    onBegin: (run) => lanes.add(run.lane),
    onEnd: (run, wasFull) => {
      const wasLaneFull = lanes.of(run.lane) === MAX_PER_LANE;
      lanes.remove(run.lane);
      return wasFull || wasLaneFull;
    },
  });

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
      if ((await loop.store(turn)) === 'outdated') {
        // Somebody wrote meanwhile (or our lease is gone, then this does nothing): speak again, knowing it.
        await again(run);
      }
    } catch (error) {
      await giveBack(run, error, signal);
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
    // Two hundred turns may become ready at the same moment, each of them with rules to match.
    const answer = share(() => loaded.provider.turn(request));
    const result = await withTimeout(answer, TURN_TIMEOUT_MS, tooLate);
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

  /** A turn that can no longer be stored is aborted, so that the answer to all that was said begins now. */
  async function abortOutdated(): Promise<void> {
    const old = performance.now() - OUTDATED_MS;
    const slow = loop.underWay().filter(({ since, abort }) => since < old && !abort.signal.aborted);
    if (slow.length === 0 || watching) return;
    watching = true;
    const runs = slow.map(({ row }) => row);
    const outdated = await findOutdated(pool, runs).catch(() => new Set<string>());
    watching = false;
    for (const { row, abort } of slow) if (outdated.has(row.run_id)) abort.abort();
  }

  return {
    start: () => {
      watch = setInterval(() => void abortOutdated(), OUTDATED_MS);
      loop.start();
    },
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop(graceMs);
      clearInterval(watch);
    },
  };
}

/** A turn that exceeds its time is aborted, with its tool calls: nobody waits for it any more. */
async function withTimeout<T>(work: Promise<T>, ms: number, tooLate: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new ProviderError('provider_timeout', 'The provider did not finish the turn in time.', { retryable: true }),
      );
      tooLate.abort();
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
