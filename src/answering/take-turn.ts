import { asSent } from '../channels/fit-content.ts';
import { channelKinds } from '../channels/kinds.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import { MAX_CONVERSATION_TAGS } from '../../contract/dashboard/conversations.ts';
import { HAND_OFF_REASONS, type HandOffReason } from '../../contract/dashboard/statistics.ts';
import type { MessageContent, MessageRole } from '../../contract/messages.ts';
import { NO_RESULT } from '../../contract/results.ts';
import {
  MAX_HISTORY,
  type TurnContext,
  type TurnMessage,
  type TurnRequest,
  type TurnResult,
} from '../engine/provider.ts';
import { newId, timeOfId } from '../kernel/ids.ts';
import { templateVariables } from './template-variables.ts';
import { reasonNotToSend } from '../store/end-users/reason-not-to-send.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { CompletedTurn } from '../store/runs/complete.ts';
import { decisionsIn, newApproval } from './approvals/wait-for-approval.ts';
import { rolloutOf } from './choose-version.ts';
import type { LoadedAgent } from './load-agent.ts';
import { minutesToStep } from './no-reply.ts';
import { collectResult, type ResultAfter } from './results/collect-result.ts';
import { OPTED_OUT_TURN } from './record-opt-out.ts';
import { splitText } from './split-text.ts';

const firstStatus = (kind: string): 'delivered' | 'queued' =>
  channelKinds.get(kind)?.byStoring ? 'delivered' : 'queued';

/** The reason why the agent may not message this person. Null: the agent may message the person. */
export function skipReason(run: ClaimedRun): string | null {
  const why = reasonNotToSend(run.end_user.blocked, run.end_user.consent[run.channel_kind]?.status);
  if (why !== null) return why;
  if (run.address === null && channelKinds.get(run.channel_kind)?.capabilities.needs_address) return 'no_address';
  return null;
}

type Content = { type: string; text?: string; name?: string };

/** A picture without text counts as a message too. */
export const wordsOf = ({ type, text, name }: Content): string => text || (name ? `[${type}: ${name}]` : `[${type}]`);

/** Converts a stored message for the provider. The model receives only the images of the person. */
export const turnMessage = ({ id, role, content }: { id: string; role: string; content: Content }): TurnMessage => ({
  role: role as MessageRole,
  text: wordsOf(content),
  ...(role === 'end_user' && content.type === 'image' && { image: id }),
});

/** Builds the request to the provider. The history is sorted, oldest message first. */
export function turnRequest(run: ClaimedRun, loaded: LoadedAgent, signal: AbortSignal): TurnRequest {
  const history = historyOf(run);
  return {
    turn_id: `${run.run_id} ${run.turns}`,
    agent: { id: loaded.agent.id, name: loaded.agent.name, definition: loaded.agent.definition },
    locale: run.conversation_locale ?? run.end_user.locale,
    variables: templateVariables(run.input.variables, run.end_user),
    end_user: { id: run.end_user.id, name: run.end_user.name, locale: run.end_user.locale },
    history: [...(run.input.earlier ?? []), ...history.map(turnMessage)].slice(-MAX_HISTORY),
    input: inputTexts(run),
    state: run.state,
    knowledge: loaded.knowledge,
    ...(loaded.openImages && { openImages: loaded.openImages }),
    now: new Date(),
    context: contextOf(run, loaded),
    account: { lease: run.lease, key_id: run.input.key_id ?? null, campaign_id: run.input.campaign_id ?? null },
    signal,
  };
}

/** The texts that the turn answers, oldest first. */
export function inputTexts(run: ClaimedRun): string[] {
  const texts = new Map([...run.history, ...(run.burst ?? [])].map(({ id, content }) => [id, wordsOf(content)]));
  return inputIds(run).flatMap((id) => texts.get(id) ?? []);
}

const contextOf = (run: ClaimedRun, { agent }: LoadedAgent): TurnContext => ({
  organization_id: run.org_id,
  agent_id: agent.id,
  agent_version: agent.version,
  conversation_id: run.conversation_id,
  run_id: run.run_id,
  channel: { id: run.channel_id, kind: run.channel_kind },
  end_user: {
    id: run.end_user.id,
    external_id: run.end_user.external_id,
    address: run.address,
    address_verified:
      run.wrote_from_address &&
      run.address !== null &&
      (channelKinds.get(run.channel_kind)?.vouchesFor?.(run.address) ?? false),
  },
  try: false,
});

/** True if the run was accepted without a message, so that its first turn opens the conversation. */
export const isOpening = ({ turns, trigger_id, input }: ClaimedRun): boolean =>
  turns === 0 && trigger_id !== null && input.message_id === undefined;

/**
 * The IDs of the messages that this turn answers. The message of a scheduled run is sent when the run is due, so it is
 * the newest message. Any other message that is no longer in `unanswered` was answered in another run of the
 * conversation.
 */
function inputIds(run: ClaimedRun): string[] {
  if (isOpening(run)) return [];
  const own = run.is_scheduled && run.turns === 0 ? run.input.message_id : undefined;
  return own === undefined ? run.unanswered : [...run.unanswered, own];
}

/** The history, oldest message first. */
function historyOf(run: ClaimedRun): ClaimedRun['history'] {
  const history = run.history.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const last = inputIds(run).at(-1);
  // A scheduled message was stored when its run was accepted, but the message is sent now.
  if (!run.is_scheduled || last === undefined || last !== run.input.message_id) return history;
  const own = history.filter(({ id }) => id === last);
  return [...history.filter(({ id }) => id !== last), ...own];
}

const conversationStatuses = { waiting_for_user: 'open', handed_off: 'handed_off', completed: 'resolved' } as const;

export function completedTurn(
  run: ClaimedRun,
  { agent }: Pick<LoadedAgent, 'agent'>,
  result: TurnResult,
  found?: ResultAfter['found'],
): CompletedTurn {
  const at = timeToSpeak(run);
  const isOver = result.next !== 'waiting_for_user';
  const after = { state: result.state, isOver, ...(found !== undefined && { found }) };
  const collected = collectResult(agent.definition, run, after, new Date());
  return {
    ...unchanged(run),
    agentVersion: agent.version,
    rolloutId: rolloutOf(agent, run),
    result: collected === (run.result ?? NO_RESULT) ? null : collected,
    silence: silenceAfter(agent.definition, 0),
    status: result.next,
    conversationStatus: conversationStatuses[result.next],
    ...(result.opted_out && OPTED_OUT_TURN),
    tags: withTags(run.tags, result.tags),
    // The agent opened the conversation because the backend requested it. The next turn answers messages that arrived
    // during this turn.
    leavesUnanswered: inputIds(run).length === 0 && result.next !== 'handed_off',
    state: result.state ?? null,
    approvals: (result.requested ?? []).map(newApproval),
    readApprovals: readIn(run, result),
    handOffReason: result.next === 'handed_off' ? handOffReason(result) : null,
    messages: result.messages
      .flatMap((message) => inParts(message, run.channel_kind))
      .map((message, index) => ({
        // IDs of the same millisecond have no order, and messages are shown and sent in the order of their IDs.
        id: newId('msg', at + index),
        content: message.content,
        sources: message.sources,
        // A turn has one trace, which is stored with its first message.
        trace: index === 0 ? result.trace : null,
      })),
    messageStatus: firstStatus(run.channel_kind),
  };
}

/** A turn without a message of the person always reports the decisions, because no other turn would report them. */
function readIn(run: ClaimedRun, { readDecisions = false }: TurnResult): string[] {
  if (typeof readDecisions !== 'boolean') return decisionsIn(run).filter((id) => readDecisions.includes(id));
  return readDecisions || inputIds(run).length === 0 ? decisionsIn(run) : [];
}

/** Returns the reason that the engine recorded. A provider of a later version may record no reason. */
const handOffReason = ({ trace }: TurnResult): HandOffReason =>
  HAND_OFF_REASONS.find((known) => known === trace.steps.findLast(({ kind }) => kind === 'hand_off')?.['reason']) ??
  'model';

/**
 * Returns the current time, or a later time if necessary, so that it is after all earlier messages. A node with a fast
 * clock may have stored the message that the turn answers.
 */
const timeToSpeak = ({ history }: ClaimedRun): number =>
  history.reduce((latest, { id }) => Math.max(latest, timeOfId(id) + 1), Date.now());

/**
 * Splits a text that is too long for the channel into several messages. Choices that the channel shows as text may be
 * too long, too. The sources belong to the last part of a long message.
 */
function inParts(message: TurnResult['messages'][number], channelKind: string): TurnResult['messages'] {
  const kind = channelKinds.get(channelKind);
  const sent = kind && asSent(message.content, kind);
  if (sent?.type !== 'text' || sent.text.length <= kind!.capabilities.max_text) return [message];
  const parts = splitText(sent.text, kind!.capabilities.max_text);
  return parts.map((text, index) => ({
    ...message,
    content: { type: 'text', text },
    sources: index === parts.length - 1 ? message.sources : [],
  }));
}

/** Returns the silence that begins after a message of the agent, or continues after a step. */
export function silenceAfter(definition: AgentDefinition, steps: number): NonNullable<CompletedTurn['silence']> {
  const minutes = minutesToStep(definition, steps);
  return { seconds: minutes === null ? null : minutes * 60, steps };
}

/** Builds a turn that sends the opening that a campaign chose. On later turns, the agent writes the text. */
export function openingTurn(
  run: ClaimedRun,
  { agent }: Pick<LoadedAgent, 'agent'>,
  content: MessageContent,
): CompletedTurn {
  const trace = {
    provider: 'campaign',
    steps: [{ kind: 'opening', detail: 'The campaign has its own opening text.' }],
  };
  return {
    ...unchanged(run),
    status: 'waiting_for_user',
    conversationStatus: 'open',
    agentVersion: agent.version,
    rolloutId: rolloutOf(agent, run),
    silence: silenceAfter(agent.definition, 0),
    messages: [{ id: newId('msg', timeToSpeak(run)), content, sources: [], trace }],
    messageStatus: firstStatus(run.channel_kind),
  };
}

/** Builds a turn without a message. */
export const silentTurn = (run: ClaimedRun, status: CompletedTurn['status'], reason: string | null): CompletedTurn => ({
  ...unchanged(run),
  status,
  reason,
});

const unchanged = (run: ClaimedRun): CompletedTurn => ({
  orgId: run.org_id,
  runId: run.run_id,
  lease: run.lease,
  agentId: run.agent_id,
  conversationId: run.conversation_id,
  conversationVersion: run.conversation_version,
  status: 'completed',
  reason: null,
  conversationStatus: run.conversation_status as CompletedTurn['conversationStatus'],
  locale: run.conversation_locale ?? run.end_user.locale,
  tags: run.tags,
  state: run.state,
  handOffReason: null,
  agentVersion: null,
  rolloutId: null,
  result: null,
  silence: null,
  leavesUnanswered: false,
  approvals: [],
  readApprovals: [],
  isDue: false,
  messages: [],
  messageStatus: 'delivered',
});

/**
 * Own code may send new tags with each turn. Tags above the limit are omitted, so members can still change the tags.
 */
const withTags = (tags: readonly string[], added: readonly string[]): string[] =>
  [...new Set([...tags, ...added])].slice(0, Math.max(MAX_CONVERSATION_TAGS, tags.length));
