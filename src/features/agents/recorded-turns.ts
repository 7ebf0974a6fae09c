import type { ReplaySide } from '../../../contract/dashboard/replay.ts';
import type { MessageContent, MessageSource } from '../../../contract/messages.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import { turnMessage } from '../../answering/take-turn.ts';
import type { TurnTrace } from '../../engine/turn-trace.ts';
import { timeOfId } from '../../kernel/ids.ts';
import type { RecordedConversation, RecordedRun } from '../../store/conversations/read-recorded.ts';
import type { MessageRow } from '../../store/runs/read.ts';

type Steps = TurnTrace['steps'];
type Line = { role: 'agent' | 'end_user'; text: string; image?: string };

/** A turn of the agent in a past conversation. */
export type RecordedTurn = {
  at: Date;
  /** The messages before the turn, including its input. */
  history: Line[];
  input: string[];
  call: RunInput;
  side: ReplaySide;
  steps: Steps;
};

export type Recording = { turns: RecordedTurn[]; stopped: 'people' | 'limit' | null };

/**
 * Finds the turns in the messages. The first message of a turn has the trace, and the next messages of the run belong
 * to the same turn. The turn answers all messages that the person wrote since the agent's last message. After the first
 * message of a member, the team answers.
 */
export function recordedTurns(
  { messages, runs, hasMore, isSettled }: RecordedConversation,
  maxTurns: number,
): Recording {
  const begun = new Map(runs.map((run) => [run.id, run]));
  const turns: RecordedTurn[] = [];
  const history: Line[] = runs.flatMap(({ input }) => input.earlier ?? []);
  let waiting: MessageRow[] = [];
  const take = (at: Date, run: RecordedRun | undefined, isOpening: boolean, side: ReplaySide, steps: Steps): void => {
    const lines = isOpening ? [] : waiting.map(lineOfMessage);
    const input = lines.map(({ text }) => text);
    history.push(...lines);
    if (!isOpening) waiting = [];
    turns.push({ at, history: [...history], input, call: run?.input ?? {}, side, steps });
  };
  for (const [at, message] of messages.entries()) {
    if (message.role === 'member') return { turns, stopped: 'people' };
    if (message.role === 'end_user') waiting.push(message);
    if (message.role !== 'agent') continue;
    const { runId, trace } = message;
    // A message without a trace is a part of the previous turn, or a message that a backend sent.
    if (runId !== null && trace !== null) {
      const run = begun.get(runId);
      begun.delete(runId);
      // While the agent opens the conversation, the next turn answers the messages that arrive.
      const isOpening = run !== undefined && run.triggerId !== null && run.input.message_id === undefined;
      const parts = [message, ...partsAfter(messages, at)];
      if (trace.provider !== 'campaign') {
        if (turns.length === maxTurns) return { turns, stopped: 'limit' };
        take(momentOf(message), run, isOpening, sideOf(parts, trace.steps), trace.steps);
      }
    }
    history.push(lineOfMessage(message));
  }
  if (hasMore) return { turns, stopped: 'limit' };
  // A turn without a message has answered these messages.
  if (isSettled && waiting.length > 0) take(momentOf(waiting.at(-1)!), undefined, false, sideOf([], []), []);
  return { turns, stopped: null };
}

/** Finds the other messages of a turn. */
function partsAfter(messages: readonly MessageRow[], at: number): MessageRow[] {
  const answers = messages.slice(at + 1).filter(({ role }) => role === 'agent');
  const next = answers.findIndex(({ trace }) => trace !== null);
  return answers.slice(0, next < 0 ? undefined : next).filter(({ runId }) => runId === messages[at]!.runId);
}

const momentOf = ({ id }: MessageRow): Date => new Date(timeOfId(id));
const lineOfMessage = (message: MessageRow): Line => turnMessage(message) as Line;

const MAX_ARGUMENTS = 1_000;
/** A tool call that waits for an approval counts as a call, and so does the later approved call. */
const CALLS: ReadonlySet<string> = new Set(['tool', 'tool_failed', 'tool_waits']);

/** Reads the messages and actions of a turn, in the same way for a stored turn and a replayed turn. */
export function sideOf(
  messages: readonly { content: MessageContent; sources: readonly MessageSource[] }[],
  steps: Steps,
): ReplaySide {
  const calls = steps.filter(({ kind }) => CALLS.has(kind));
  return {
    said: messages.map(({ content }) => lineOf(content)),
    cites: [...new Set(messages.flatMap(({ sources }) => sources.map(({ document }) => document)))],
    calls: calls.map(({ detail, input }) => ({
      tool: detail,
      arguments: typeof input === 'string' ? input.slice(0, MAX_ARGUMENTS) : '',
    })),
    next: nextOf(steps),
  };
}

const lineOf = (content: MessageContent): string =>
  content.type === 'choices'
    ? [content.text, ...content.choices.map(({ label }) => `· ${label}`)].join('\n')
    : ('text' in content && content.text) || `[${content.type}]`;

/** The step after a turn is only in the trace, because the conversation stores only its last status. */
function nextOf(steps: Steps): ReplaySide['next'] {
  const has = (wanted: string): boolean => steps.some(({ kind }) => kind === wanted);
  if (has('opt_out')) return 'opted_out';
  if (has('hand_off')) return 'handed_off';
  return has('summary') || steps.some(({ action }) => action === 'complete') ? 'completed' : 'waiting_for_user';
}
