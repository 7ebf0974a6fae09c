import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { RunEvents } from '../../../contract/run-events.ts';
import { hasAnswered, hasEnded, type RunWaiter } from '../../store/runs/wait-for-run.ts';
import { presentMessage } from '../../store/messages/present.ts';
import { findRun, listMessagesAfter, type RunProgress, type RunRow } from '../../store/runs/read.ts';
import { followDeltas } from '../../store/deltas/follow-deltas.ts';
import { newId } from '../../kernel/ids.ts';
import { type ExpectedDeltas, type LiveDeltas, runTopic } from '../../store/deltas/live-deltas.ts';
import type { TriggersDeps } from './deps.ts';
import { presentRun, visibleTo } from './read-runs.ts';

export type FollowRunDeps = Pick<TriggersDeps, 'db'> & {
  waiter: Pick<RunWaiter, 'wait'>;
  liveDeltas: Pick<LiveDeltas, 'follow'>;
};

export type ExpectRunDeps = { liveDeltas: Pick<LiveDeltas, 'expect'> };

/** Follows the deltas of a run before the run is accepted, because a worker may begin its turn immediately. */
export async function expectRun(
  { liveDeltas }: ExpectRunDeps,
  orgId: string,
): Promise<{ runId: string; words: ExpectedDeltas }> {
  const runId = newId('run');
  return { runId, words: await liveDeltas.expect(runTopic(orgId, runId)) };
}

export type RunReader = {
  /** Returns false if the reader has left. `id`: the point from which the reader continues after a reconnect. */
  send<Name extends keyof RunEvents>(event: Name, data: RunEvents[Name], id?: string): boolean;
  readonly ended: boolean;
};

export type FollowRun = {
  orgId: string;
  triggerId: string;
  runId: string;
  /** Absent: the reader has the key, not a client token. */
  clientMark: string | undefined;
  /** The last message that the reader has received. Null: the reader has received no message. */
  after: string | null;
  /**
   * With `answer`, the reader follows the run until the end of the first turn. With `end`, the reader follows the run
   * as long as it may continue.
   */
  until: 'answer' | 'end';
};

/** A reader that has left is noticed after this time. */
const WAIT_MS = 10_000;

/**
 * Sends the stored data (messages, and the run whenever it changes), and between them the deltas of the turn in
 * progress. Deltas are only hints, because each message is sent as a whole and replaces the shown text. Returns a
 * function that sends, and resolves when nothing more can be sent.
 */
export async function followRun(deps: FollowRunDeps, asked: FollowRun): Promise<(reader: RunReader) => Promise<void>> {
  const row = await findRun(deps.db, asked.orgId, asked.triggerId, asked.runId, asked.clientMark);
  if (!row) throw new Refusal('run_not_found');
  return (reader) => follow(deps, asked, row, reader);
}

async function follow(deps: FollowRunDeps, asked: FollowRun, found: RunRow, reader: RunReader): Promise<void> {
  const { orgId, triggerId, runId, until, clientMark } = asked;
  const isVisible = visibleTo(clientMark);
  let { after } = asked;
  let row: RunRow | null = found;
  let sent = '';
  const deltas = followDeltas(deps.liveDeltas, runTopic(orgId, runId), (event, text) => reader.send(event, { text }));
  try {
    while (row && !reader.ended) {
      const seen = printOf(row);
      for (const message of await listMessagesAfter(deps.db, row, after)) {
        after = message.id;
        if (!isVisible(message)) continue;
        // The answer to a call is sent as deltas even if its deltas arrive after its commit.
        deltas.endMessage(until === 'answer' && message.role === 'agent' ? textOf(message.content) : '');
        reader.send('message', presentMessage(message), after);
      }
      const record = presentRun(row);
      if (sent !== JSON.stringify(record)) reader.send('run', record);
      sent = JSON.stringify(record);
      deltas.open();
      if (isEnough(row, until) || !(await changed(deps.waiter, { orgId, runId }, seen, reader))) return;
      row = await findRun(deps.db, orgId, triggerId, runId, clientMark);
    }
  } finally {
    deltas.leave();
  }
}

const textOf = (content: MessageContent): string => ('text' in content && content.text) || '';

/** Waits for a change, and returns false if the reader has left or too many readers wait. */
async function changed(
  waiter: Pick<RunWaiter, 'wait'>,
  run: { orgId: string; runId: string },
  seen: string,
  reader: RunReader,
): Promise<boolean> {
  while (!reader.ended) {
    const since = performance.now();
    if (await waiter.wait(run, WAIT_MS, (progress) => printOf(progress) !== seen)) return true;
    if (performance.now() - since < WAIT_MS / 2) return false;
  }
  return false;
}

const printOf = ({ turns, status, attempts }: Omit<RunProgress, 'id' | 'due'>): string =>
  `${turns} ${status} ${attempts}`;

const UNDER_WAY = new Set(['queued', 'running']);

/**
 * A run that waits for its time or for the person may wait for days. An answered run does not change before the person
 * writes or the time of the run comes.
 */
const isEnough = (row: Pick<RunProgress, 'turns' | 'status'>, until: FollowRun['until']): boolean =>
  hasEnded(row) ||
  (until === 'answer' && (row.status === 'scheduled' || (hasAnswered(row) && !UNDER_WAY.has(row.status))));
