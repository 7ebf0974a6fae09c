import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ProviderError, TurnWaits, type Words } from '../../engine/provider.ts';
import { asksToStop } from '../../engine/stop-words.ts';
import { msToOpening } from '../../features/campaigns/delayed-opening.ts';
import { newId } from '../../kernel/ids.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { createTally } from '../../kernel/tally.ts';
import type { Span, Tracer } from '../../kernel/traces/tracer.ts';
import type { Db } from '../../store/db.ts';
import type { EndUserQueue } from '../../store/end-users/upsert.ts';
import { isMoreDue } from '../../store/queue/lanes.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { type ClaimedRun, claimRuns, findOutdated, renewRuns } from '../../store/runs/claim.ts';
import { type CompletedTurn, completeTurns, CONTINUED, type TurnOutcome } from '../../store/runs/complete.ts';
import { RESOLVED } from '../../store/runs/end.ts';
import { cancelRunRow } from '../../store/runs/read.ts';
import { failRun, releaseRun } from '../../store/runs/release.ts';
import { awaitAnswer } from '../../store/turns/code-turn.ts';
import { MORE_MESSAGES_MS } from '../../store/runs/more-messages-wait.ts';
import { type LiveDeltas, runTopic, visitorTopic } from '../../store/deltas/live-deltas.ts';
import { type ClaimLoop, createClaimLoop, type Worker } from '../claim-loop.ts';
import type { WhenDue } from '../look-loop.ts';
import { loadForRun, readChoice } from '../../answering/choose-version.ts';
import type { LoadAgent } from '../../answering/load-agent.ts';
import { callApproved } from '../../answering/approvals/call-approved.ts';
import { decisionsIn, waitForApproval } from '../../answering/approvals/wait-for-approval.ts';
import type { CallTool } from '../../engine/providers/run-tool.ts';
import { learnFromChoice } from '../../answering/learn-from-choice.ts';
import { fillByModel } from '../../answering/results/fill-by-model.ts';
import { saveValues } from '../../answering/results/save-values.ts';
import { recordOptOut } from '../../answering/record-opt-out.ts';
import { codeOf, spanOfAgent, spanOfRun, recordTurn } from '../../answering/trace-turn.ts';
import { actOnSilence, isSilent } from './act-on-silence.ts';
import { endRun, isEnding } from './end-run.ts';
import {
  completedTurn,
  inputTexts,
  isOpening,
  openingTurn,
  silentTurn,
  skipReason,
  turnRequest,
} from '../../answering/take-turn.ts';

/**
 * The turn worker claims due runs in batches, calls the agent's provider, and stores the turn. A turn may be computed
 * more than once but is stored only once. A turn that could not be stored is computed again. A stored turn is never
 * computed again, because the storing statement checks the lease and the conversation's version. Any number of workers
 * share one database without communicating.
 */
export type TurnWorkerOptions = {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  loadAgent: LoadAgent;
  /** True while this process accepts calls at its limit. Accepting has priority over processing, which can wait. */
  pressed?(): boolean;
  /** This function is called after turns are stored, for callers that wait for an answer. */
  onStored(): void;
  /** Stores values of results in the record of the person. */
  endUserQueue: Pick<EndUserQueue, 'upsert'>;
  liveDeltas: Pick<LiveDeltas, 'begin'>;
  /** Makes the approved tool calls. */
  callTool: CallTool;
  /** Absent or null: tracing is off. */
  tracer?: Tracer | null;
};

/** Maximum number of turns in progress. Most of the turns wait for a model. */
const CAPACITY = 400;
const CLAIM_BATCH = 200;
/**
 * The organizations of one lane may use this part of the capacity, because turns that hang must leave room for other
 * organizations.
 */
const MAX_PER_LANE = 350;
/** The interval of an idle worker, which is the longest wait of a run that another process accepted. */
const POLL_MS = 200;
/** Under load, this many runs are claimed every PRESSED_PAUSE_MS, so that no run waits forever. */
const PRESSED_BATCH = 50;
const PRESSED_PAUSE_MS = 100;
/** A run that workers claimed this many times without an end has failed. */
const MAX_ATTEMPTS = 8;
const MAX_BACKOFF_MS = 5 * 60_000;
const WAIT_SPREAD_MS = 1_000;
/** A run checks at this interval whether the later run of its conversation has answered. */
const OVERTAKEN_MS = 1_000;
const TURN_TIMEOUT_MS = 120_000;
/** Longer turns are checked at this interval, because a model need not finish an outdated answer. */
const OUTDATED_MS = 500;

export function createTurnWorker(options: TurnWorkerOptions): Worker {
  const { db, log, whenDue, pressed, onStored } = options;
  const pool = db.$client;
  const lanes = createTally<number>();
  const share = createLoopShare();

  const loop: TurnLoop = createClaimLoop({
    rows: 'runs',
    log,
    pollMs: POLL_MS,
    whenDue,
    capacity: CAPACITY,
    batch: CLAIM_BATCH,
    leaseSeconds: LEASE_SECONDS.run,
    claim: async (limit) => {
      const isPressed = pressed?.() ?? false;
      if (isPressed) await pause(PRESSED_PAUSE_MS);
      const room = isPressed ? Math.min(PRESSED_BATCH, limit) : limit;
      // Each claim has its own lease, so a run that this worker lost and claimed again is not mistaken for the earlier
      // claim.
      const claimed = await claimRuns(pool, newId('node'), room, lanes.counts, MAX_PER_LANE);
      // crash point: worker:after-claim
      return { claimed, isMoreDue: isPressed || isMoreDue(claimed, room) };
    },
    renew: async (runs) => {
      const ours = await renewRuns(pool, runs);
      return (run) => ours.has(run.run_id);
    },
    work: ({ row, abort }) => takeTurn({ ...options, share, loop }, row, abort.signal),
    complete: async (turns) => {
      const outcomes = await completeTurns(pool, turns);
      // crash point: worker:after-store
      onStored();
      return outcomes;
    },
    storesAtOnce: 2,
    ids: (run) => ({ run_id: run.run_id }),
    onBegin: (run) => lanes.add(run.lane),
    onEnd: (run, wasFull) => {
      const wasLaneFull = lanes.of(run.lane) === MAX_PER_LANE;
      lanes.remove(run.lane);
      return wasFull || wasLaneFull;
    },
  });

  const watch = createOutdatedWatch(db, loop);
  return {
    start: () => {
      watch.start();
      loop.start();
    },
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop(graceMs);
      watch.stop();
    },
  };
}

type TurnLoop = ClaimLoop<ClaimedRun, CompletedTurn, TurnOutcome>;
/** The dependencies that a turn needs in addition to its run. */
type Turns = TurnWorkerOptions & { share: ReturnType<typeof createLoopShare>; loop: TurnLoop };

async function takeTurn(turns: Turns, run: ClaimedRun, signal: AbortSignal): Promise<void> {
  const { db, log, liveDeltas, tracer } = turns;
  const words = liveDeltas.begin(topicsOf(run), run.input.reader);
  const span = tracer ? spanOfRun(tracer, run) : undefined;
  try {
    if (run.agent_deleted) return await cancelTurn(db, run);
    if (run.attempts > MAX_ATTEMPTS) {
      return await failRun(db.$client, run, {
        code: 'attempts_exhausted',
        detail: `The run did not end in ${MAX_ATTEMPTS} attempts.`,
      });
    }
    if (run.is_overtaken && !isOpening(run)) {
      // Two runs must not answer the same messages, so this run ends when the later run has answered.
      return await releaseRun(db, run, { afterMs: OVERTAKEN_MS, refund: true });
    }
    const afterMs = await msToHours(db, run);
    if (afterMs > 0) return await releaseRun(db, run, { afterMs, refund: true });
    const turn = waitForApproval(run, await speak(turns, run, signal, words, span));
    // Quiet hours may have begun during the turn.
    const lateMs = await msToHours(db, run);
    if (lateMs > 0) return await releaseRun(db, run, { afterMs: lateMs, refund: true });
    // crash point: worker:before-store
    const outcome = await turns.loop.store(turn);
    words.end(outcome === 'stored');
    span?.set({ 'parley.run.outcome': outcome, 'parley.run.status': turn.status });
    if (outcome === 'stored')
      await learnFromChoice(db, run, turn).catch((error: unknown) =>
        log.warn({ err: error }, 'a choice is not recorded'),
      );
    if (outcome === 'outdated') {
      // A new message arrived, so the turn is computed again with this message. If the lease is lost, `again` does
      // nothing.
      await again(turns, run);
    }
  } catch (error) {
    words.end(false);
    span?.end(codeOf(error, signal));
    await giveBack(turns, run, error, signal);
  } finally {
    words.end(false);
    span?.end();
  }
}

/** Ends the run of a deleted agent. The message that the run has not answered may be a “stop”. */
async function cancelTurn(db: Db, run: ClaimedRun): Promise<void> {
  if (asksToStop(inputTexts(run))) await recordOptOut(db, run);
  await cancelRunRow(db, run.org_id, run.run_id, 'agent_deleted');
}

/**
 * The time for which the campaign's opening waits for allowed hours. A person who has written is answered immediately,
 * even outside the allowed hours.
 */
const msToHours = async (db: Db, { org_id, run_id: runId, turns, input, unanswered }: ClaimedRun): Promise<number> =>
  turns === 0 && input.campaign_id !== undefined && unanswered.length === 0 ? msToOpening(db, org_id, { runId }) : 0;

/**
 * A person who has just written may write more, so the turn waits. On the sandbox, every message is answered
 * separately.
 */
async function again({ db, loop }: Turns, run: ClaimedRun): Promise<void> {
  await releaseRun(db, run, { afterMs: run.channel_kind === 'sandbox' ? 0 : MORE_MESSAGES_MS, refund: true });
  loop.wake();
}

async function speak(
  turns: Turns,
  run: ClaimedRun,
  signal: AbortSignal,
  words: Words,
  traced?: Span,
): Promise<CompletedTurn> {
  const { db, loadAgent, share, endUserQueue } = turns;
  const decided = decisionsIn(run);
  const [isDue, isOver] = [isSilent(run) && decided.length === 0, isEnding(run)];
  const skip = isDue || isOver ? null : skipReason(run);
  if (run.conversation_status === 'handed_off') {
    // The message of a scheduled call is sent now, but no turn reads it.
    if (asksToStop(inputTexts(run))) await recordOptOut(db, run);
    return silentTurn(run, skip === null ? 'handed_off' : 'skipped', skip);
  }
  if (skip !== null && decided.length === 0) return silentTurn(run, 'skipped', skip);
  const loaded = await loadForRun(loadAgent, run);
  if (run.turns === 0 && run.input.opening && run.unanswered.length === 0)
    return openingTurn(run, loaded, run.input.opening);
  const tooLate = new AbortController();
  const asked = { ...turnRequest(run, loaded, AbortSignal.any([signal, tooLate.signal])), words };
  const request = { ...asked, approvals: await callApproved(turns, run, asked) };
  // The team has approved the call, so it is made even if Parley must not send anything to the person.
  if (skip !== null) return silentTurn(run, 'skipped', skip);
  if (isOver) return endRun(turns, run, loaded, request, { next: 'completed', reason: RESOLVED }, traced);
  if (isDue) return actOnSilence(turns, run, loaded, request, traced);
  // No message is unanswered, so the run waits again, unless the decisions can be reported.
  const mayReport = decided.length > 0 && loaded.provider.name !== 'embedded';
  if ((run.turns > 0 || run.input.message_id !== undefined) && request.input.length === 0 && !mayReport) {
    const isCurrent = run.conversation_run_id === run.run_id;
    if (!isCurrent) return silentTurn(run, 'completed', CONTINUED);
    return { ...silentTurn(run, 'waiting_for_user', null), readApprovals: decided };
  }
  const span = traced && spanOfAgent(traced, request, loaded.provider.name);
  // Two hundred turns may become ready at the same time, each with rules to match, so turns share the event loop.
  const answer = share(() => loaded.provider.turn(span ? { ...request, span } : request));
  const result = await recordTurn(span, signal, withTimeout(answer, TURN_TIMEOUT_MS, tooLate));
  if (result.opted_out) await recordOptOut(db, run);
  const { values, steps } = await fillByModel(run, loaded, request, result, traced);
  result.trace.steps.push(...steps);
  const turn = completedTurn(run, loaded, result, values);
  await saveValues(endUserQueue, run, loaded, turn.result);
  return turn;
}

async function giveBack(turns: Turns, run: ClaimedRun, error: unknown, signal: AbortSignal): Promise<void> {
  const { db, log, loop, loadAgent } = turns;
  if (error instanceof TurnWaits) {
    if (await awaitAnswer(db.$client, run)) loop.wake();
    return;
  }
  if (signal.aborted && !loop.isStopping()) return again(turns, run);
  if (loop.isStopping()) return releaseRun(db, run, { afterMs: 0, refund: true });
  const known = error instanceof ProviderError;
  if (known && error.waits) return wait(turns, run, error);
  const problem = {
    code: known ? error.code : 'internal_error',
    detail: known ? error.message : 'The turn failed inside Parley; the log has the reason.',
  };
  log.warn({ err: error, run_id: run.run_id, attempts: run.attempts, request_id: run.request_id }, 'a turn failed');
  if ((known && !error.retryable) || run.attempts >= MAX_ATTEMPTS)
    return failRun(db.$client, run, problem, await readChoice(loadAgent, run));
  const backoff = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (run.attempts - 1)) * (0.75 + Math.random() / 2);
  await releaseRun(db, run, { afterMs: Math.max(backoff, (known && error.retryAfterMs) || 0), error: problem });
}

/**
 * No call was made, so the wait does not count as an attempt. The delay varies, so that runs that wait for the same
 * provider do not all return at the same moment.
 */
async function wait(
  { db, log }: Turns,
  run: ClaimedRun,
  { code, message, retryAfterMs }: ProviderError,
): Promise<void> {
  log.debug({ run_id: run.run_id, code }, 'a turn waits');
  const afterMs = (retryAfterMs ?? 0) + Math.random() * WAIT_SPREAD_MS;
  await releaseRun(db, run, { afterMs, refund: true, error: { code, detail: message } });
}

/** Aborts turns that can no longer be stored, so that the answer to all messages starts immediately. */
function createOutdatedWatch({ $client: pool }: Db, loop: TurnLoop) {
  let watch: NodeJS.Timeout | undefined;
  let watching = false;

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
    },
    stop: () => clearInterval(watch),
  };
}

const topicsOf = ({ org_id, run_id, channel_id, channel_kind, address }: ClaimedRun): string[] => [
  runTopic(org_id, run_id),
  ...(channel_kind === 'web_chat' && address !== null ? [visitorTopic(org_id, channel_id, address)] : []),
];

/** Aborts a turn that exceeds its timeout, including its tool calls. */
async function withTimeout<T>(work: Promise<T>, ms: number, tooLate: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ProviderError('provider_timeout', 'The turn timed out at the provider.', { retryable: true }));
      tooLate.abort();
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
