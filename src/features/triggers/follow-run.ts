import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { RunEvents } from '../../../contract/run-events.ts';
import { hasAnswered, hasEnded, type RunWaiter } from '../../store/runs/await.ts';
import { presentMessage } from '../../store/messages/present.ts';
import { findRun, listSaidAfter, type RunProgress, type RunRow } from '../../store/runs/read.ts';
import { followWords } from '../../store/deltas/follow-deltas.ts';
import { newId } from '../../kernel/ids.ts';
import { type ExpectedWords, type LiveWords, runTopic } from '../../store/deltas/live-deltas.ts';
import type { TriggersDeps } from './deps.ts';
import { presentRun } from './read-runs.ts';

export type FollowRunDeps = Pick<TriggersDeps, 'db'> & {
  waiter: Pick<RunWaiter, 'wait'>;
  liveWords: Pick<LiveWords, 'follow'>;
};

export type ExpectRunDeps = { liveWords: Pick<LiveWords, 'expect'> };

/** The words of a run that is not accepted yet are followed first: a worker may begin its turn at once. */
export async function expectRun(
  { liveWords }: ExpectRunDeps,
  orgId: string,
): Promise<{ runId: string; words: ExpectedWords }> {
  const runId = newId('run');
  return { runId, words: await liveWords.expect(runTopic(orgId, runId)) };
}

export type RunReader = {
  /** False: the reader is gone. `id`: where a reader that comes back continues. */
  send<Name extends keyof RunEvents>(event: Name, data: RunEvents[Name], id?: string): boolean;
  readonly ended: boolean;
};

export type FollowRun = {
  orgId: string;
  triggerId: string;
  runId: string;
  /** The last message that the reader has; null: none. */
  after: string | null;
  /** `answer`: to the end of the first turn. `end`: while the run may go on. */
  until: 'answer' | 'end';
};

/** A reader that left is noticed after this time. */
const WAIT_MS = 10_000;

/**
 * Sends what is stored (messages, and the run whenever it changes), and in between the words of the turn under way.
 * Words are hints: each message comes whole, and ends what was shown of it. Returns a function that sends, and resolves
 * when there is no more to send.
 */
export async function followRun(deps: FollowRunDeps, asked: FollowRun): Promise<(reader: RunReader) => Promise<void>> {
  const row = await findRun(deps.db, asked.orgId, asked.triggerId, asked.runId);
  if (!row) throw new Refusal('run_not_found');
  return (reader) => follow(deps, asked, row, reader);
}

async function follow(deps: FollowRunDeps, asked: FollowRun, found: RunRow, reader: RunReader): Promise<void> {
  const { orgId, triggerId, runId, until } = asked;
  let { after } = asked;
  let row: RunRow | null = found;
  let sent = '';
  const words = followWords(deps.liveWords, runTopic(orgId, runId), (event, text) => reader.send(event, { text }));
  try {
    while (row && !reader.ended) {
      const seen = printOf(row);
      for (const message of await listSaidAfter(deps.db, row, after)) {
        after = message.id;
        // The answer to a call is streamed, also when its words are slower than its commit.
        words.said(until === 'answer' && message.role === 'agent' ? textOf(message.content) : '');
        reader.send('message', presentMessage(message), after);
      }
      const record = presentRun(row);
      if (sent !== JSON.stringify(record)) reader.send('run', record);
      sent = JSON.stringify(record);
      words.open();
      if (isEnough(row, until) || !(await changed(deps.waiter, { orgId, runId }, seen, reader))) return;
      row = await findRun(deps.db, orgId, triggerId, runId);
    }
  } finally {
    words.leave();
  }
}

const textOf = (content: MessageContent): string => ('text' in content && content.text) || '';

/** False when the reader is gone, or too many wait. */
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

/** A run that waits for its time or for the person may wait for days; one that is answered stays quiet until then. */
const isEnough = (row: Pick<RunProgress, 'turns' | 'status'>, until: FollowRun['until']): boolean =>
  hasEnded(row) ||
  (until === 'answer' && (row.status === 'scheduled' || (hasAnswered(row) && !UNDER_WAY.has(row.status))));
