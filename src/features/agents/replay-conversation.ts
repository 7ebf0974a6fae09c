import type { AgentDefinition } from '../../../contract/agents.ts';
import type {
  ReplayBody,
  ReplayChange,
  ReplayResult,
  ReplaySide,
  ReplayTurn,
} from '../../../contract/dashboard/replay.ts';
import { Refusal } from '../../../contract/problems.ts';
import { templateVariables } from '../../answering/template-variables.ts';
import type { KnownApproval } from '../../engine/providers/stored-call.ts';
import type { CallTool } from '../../engine/providers/run-tool.ts';
import { MAX_HISTORY } from '../../engine/provider.ts';
import type { TurnTrace } from '../../engine/turn-trace.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { AgentRow } from '../../store/agents/read.ts';
import { type RecordedConversation, readRecordedConversation } from '../../store/conversations/read-recorded.ts';
import { chosenDefinition } from './chosen-definition.ts';
import type { AgentsDeps } from './deps.ts';
import { PLAY_TIMEOUT_MS, type PlayedAgent, playOnce, type PlayTurnDeps, refusing } from './play-turn.ts';
import { foundAgent } from './read-agents.ts';
import { type Recording, type RecordedTurn, recordedTurns, sideOf } from './recorded-turns.ts';
import { limitTries } from './try-limit.ts';

/** The limit of messages is higher than a usual replay needs. */
const MAX_MESSAGES = 200;
const MAX_TURNS = 40;
/** The time is shorter than the time that the command line waits for a response. */
const MAX_REPLAY_MS = 35_000;

type Played = Omit<ReplayTurn, 'cause'>;
type Result = { turns: Played[]; stopped: ReplayResult['stopped'] };

/**
 * Shows what a definition would answer in a stored conversation, next to the stored answers. A replay sends nothing and
 * stores nothing, and tools return their recorded answers.
 */
export async function replayConversation(
  { db, answering }: Pick<AgentsDeps, 'db' | 'answering'>,
  orgId: string,
  id: string,
  { conversation_id: conversationId, version }: ReplayBody,
): Promise<ReplayResult> {
  const agent = await foundAgent(db, orgId, id);
  const definition = await chosenDefinition(db, agent, version);
  const recorded = await readRecordedConversation(db, orgId, id, conversationId, MAX_MESSAGES);
  if (!recorded) throw new Refusal('conversation_not_found');
  return limitTries(orgId, () => replay(answering, agent, definition, recorded));
}

/**
 * Plays each turn with the real messages before it, so that one difference does not become many. Only the agent's state
 * between turns comes from the replay. If answers differ, the published version is replayed too. If the published
 * version answers like the draft, the draft did not cause the difference.
 */
async function replay(
  deps: PlayTurnDeps,
  { orgId, id, name, revision, published }: AgentRow,
  definition: AgentDefinition,
  recorded: RecordedConversation,
): Promise<ReplayResult> {
  const until = performance.now() + MAX_REPLAY_MS;
  const recording = recordedTurns(recorded, MAX_TURNS);
  const play = (wanted: AgentDefinition): Promise<Result> =>
    refusing(playAll(deps, orgId, { id, name, revision, definition: wanted }, recorded, recording, until));
  const { turns, stopped } = await play(definition);
  const before = turns.some(({ changed }) => changed.length > 0) ? (await play(published)).turns : [];
  return {
    conversation_id: recorded.id,
    turns: turns.map((turn, at) => ({ ...turn, cause: causeOf(turn, before[at]) })),
    stopped,
  };
}

const causeOf = ({ changed, replayed }: Played, before: Played | undefined): ReplayTurn['cause'] =>
  changed.length === 0 ? null : before && changesOf(before.replayed, replayed).length === 0 ? 'earlier' : 'draft';

async function playAll(
  deps: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  { person, locale }: RecordedConversation,
  recording: Recording,
  until: number,
): Promise<Result> {
  const turns: Played[] = [];
  let state: unknown = null;
  for (const [at, recorded] of recording.turns.entries()) {
    const left = until - performance.now();
    if (left <= 0) return { turns, stopped: 'limit' };
    const played = await playOnce(
      { ...deps, timeoutMs: Math.min(PLAY_TIMEOUT_MS, Math.ceil(left)) },
      orgId,
      agent,
      {
        history: recorded.history.slice(-MAX_HISTORY),
        input: recorded.input,
        state,
        variables: templateVariables(recorded.call.variables, person),
        locale: locale ?? person.locale,
      },
      {
        stage: {
          now: recorded.at,
          callTool: answersOf(recorded),
          endUser: { id: person.id, name: person.name },
          approvals: decisionsIn(recorded, agent.definition),
        },
      },
    );
    ({ state } = played);
    const replayed = sideOf(played.messages, played.trace.steps);
    turns.push({
      at: timestamp(recorded.at),
      input: recorded.input,
      recorded: recorded.side,
      replayed,
      changed: changesOf(recorded.side, replayed),
    });
    if (at < recording.turns.length - 1 && isEnd(recorded.side, replayed)) return { turns, stopped: 'ended' };
  }
  return { turns, stopped: recording.stopped };
}

/**
 * True if the replay ends after this turn, because the person's next message would belong to another conversation. The
 * replay continues if both sides completed the conversation.
 */
const isEnd = (recorded: ReplaySide, replayed: ReplaySide): boolean =>
  ENDS.has(recorded.next) || ENDS.has(replayed.next) || recorded.next !== replayed.next;
const ENDS: ReadonlySet<ReplaySide['next']> = new Set(['handed_off', 'opted_out']);

export function changesOf(before: ReplaySide, after: ReplaySide): ReplayChange[] {
  if ((before.said.length === 0) !== (after.said.length === 0)) return ['silence'];
  const changes: ReplayChange[] = [];
  // A long text is sent in several messages, which are cut between words.
  if (wordsOf(before) !== wordsOf(after)) changes.push('words');
  if (listOf(before.cites) !== listOf(after.cites)) changes.push('sources');
  if (JSON.stringify(before.calls) !== JSON.stringify(after.calls)) changes.push('tools');
  if (before.next !== after.next) changes.push([before.next, after.next].includes('handed_off') ? 'hand_off' : 'end');
  return changes;
}

const wordsOf = ({ said }: ReplaySide): string => said.join('').replaceAll(/\s+/g, '');
const listOf = (names: readonly string[]): string => JSON.stringify(names.toSorted());

/** Returns the decisions about approvals that the agent got before this turn, with the recorded results. */
function decisionsIn({ steps }: RecordedTurn, { tools = [] }: AgentDefinition): KnownApproval[] {
  return steps.flatMap(({ kind, detail, input, reason }, at): KnownApproval[] => {
    const tool = tools.find(({ name }) => name === detail);
    if (!tool || (kind !== 'tool_approved' && kind !== 'tool_denied')) return [];
    const made = kind === 'tool_approved' ? steps[at + 1] : undefined;
    const { result, error } = answerIn(made, detail);
    const outcome = made ? { result: error ?? result ?? '', steps: [made], error } : null;
    const status = kind === 'tool_approved' ? 'approved' : 'denied';
    const why = typeof reason === 'string' ? reason : null;
    return [
      { id: `${at}`, tool, arguments: argumentsIn(input), idempotency_key: detail, status, reason: why, outcome },
    ];
  });
}

/** The recorded arguments may be invalid JSON, because a trace cuts long arguments off. */
function argumentsIn(input: unknown): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(String(input));
    return isRecord(found) ? found : {};
  } catch {
    return {};
  }
}

/** Each recorded result is returned once, for a call of its tool with its arguments. */
function answersOf({ steps }: RecordedTurn): CallTool {
  const left = steps.filter(({ kind }) => kind === 'tool' || kind === 'tool_failed');
  return async ({ tool, arguments: args }) => {
    const input = JSON.stringify(args).slice(0, MAX_TRACED);
    const at = left.findIndex((step) => step.detail === tool.name && step['input'] === input);
    const [step] = at < 0 ? [] : left.splice(at, 1);
    return { sent: null, attempts: 1, status: null, ...answerIn(step, tool.name) };
  };
}

/** A trace stores this many characters of a text. */
const MAX_TRACED = 1_000;

function answerIn(step: TurnTrace['steps'][number] | undefined, tool: string) {
  if (!step) return { result: null, error: `No answer of ${tool} for these arguments was recorded in this turn.` };
  const { output, error } = step;
  if (typeof error === 'string') return { result: null, error };
  return { result: typeof output === 'string' ? output : '', error: null };
}
