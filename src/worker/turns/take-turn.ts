import { channelKinds } from '../../channels/kinds.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import type { TurnRequest, TurnResult } from '../../engine/provider.ts';
import { newId, timeOfId } from '../../kernel/ids.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { CompletedTurn } from '../../store/runs/complete.ts';
import type { LoadedAgent } from './load-agent.ts';
import { splitText } from '../deliveries/split-text.ts';

/** Kinds of channel on which nobody can be reached without an address. */
const NEEDS_ADDRESS = new Set(['whatsapp', 'sms', 'telegram', 'email', 'slack']);
/** Kinds whose messages are delivered by being stored. */
const DELIVERED_BY_STORING = new Set(['sandbox']);

/** Why the agent stays silent towards this person; null when it may speak. */
export function skipReason(run: ClaimedRun): string | null {
  if (run.end_user.blocked) return 'blocked';
  if (run.end_user.consent[run.channel_kind]?.status === 'opted_out') return 'opted_out';
  if (NEEDS_ADDRESS.has(run.channel_kind) && run.address === null) return 'no_address';
  return null;
}

/** What the provider is asked; history goes oldest first. */
export function turnRequest(run: ClaimedRun, loaded: LoadedAgent, signal: AbortSignal): TurnRequest {
  const history = run.history.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const texts = new Map([...history, ...(run.burst ?? [])].map(({ id, content }) => [id, content.text]));
  return {
    turn_id: `${run.run_id} ${run.turns}`,
    agent: { id: loaded.agent.id, name: loaded.agent.name, definition: loaded.agent.definition },
    locale: run.conversation_locale ?? run.end_user.locale,
    variables: { ...run.input.variables, end_user: personVariables(run) },
    end_user: { id: run.end_user.id, name: run.end_user.name, locale: run.end_user.locale },
    history: history.map((message) => ({ role: message.role as never, text: message.content.text ?? '' })),
    input: inputIds(run).flatMap((id) => texts.get(id) ?? []),
    state: run.state,
    knowledge: loaded.knowledge,
    now: new Date(),
    signal,
  };
}

/** The messages that this turn answers. On its first turn a run without a message of its own opens instead. */
function inputIds(run: ClaimedRun): string[] {
  const own = run.input.message_id;
  if (run.turns > 0) return run.unanswered;
  if (own === undefined) return run.trigger_id === null ? run.unanswered : [];
  return run.unanswered.includes(own) ? run.unanswered : [...run.unanswered, own];
}

const personVariables = ({ end_user: person }: ClaimedRun) => ({
  ...person.attributes,
  id: person.id,
  external_id: person.external_id,
  name: person.name,
  email: person.email,
  phone: person.phone,
  locale: person.locale,
  time_zone: person.time_zone,
});

const conversationStatuses = { waiting_for_user: 'open', handed_off: 'handed_off', completed: 'resolved' } as const;

export function completedTurn(run: ClaimedRun, result: TurnResult): CompletedTurn {
  const said = timeToSpeak(run);
  return {
    ...unchanged(run),
    status: result.opted_out ? 'completed' : result.next,
    reason: result.opted_out ? 'opted_out' : null,
    conversationStatus: result.opted_out ? 'resolved' : conversationStatuses[result.next],
    tags: [...new Set([...run.tags, ...result.tags])],
    // The agent opened, because that is what the backend called for. Whoever has spoken meanwhile is answered next.
    leavesUnanswered: inputIds(run).length === 0 && result.next !== 'handed_off',
    state: result.state ?? null,
    messages: result.messages
      .flatMap((message) => inParts(message, run.channel_kind))
      .map((message, index) => ({
        // Ids of one millisecond have no order among themselves, and messages are shown and sent in the order of ids.
        id: newId('msg', said + index),
        content: message.content,
        sources: message.sources,
        // One trace a turn, kept with its first message.
        trace: index === 0 ? result.trace : null,
      })),
    messageStatus: DELIVERED_BY_STORING.has(run.channel_kind) ? 'delivered' : 'queued',
  };
}

/** Now, and after all that was said: what it answers may have been stored by a node whose clock is ahead. */
const timeToSpeak = ({ history }: ClaimedRun): number =>
  history.reduce((latest, { id }) => Math.max(latest, timeOfId(id) + 1), Date.now());

/** A text that is longer than the channel carries, as several messages; its sources stay with the last. */
function inParts(message: TurnResult['messages'][number], channelKind: string): TurnResult['messages'] {
  const { content } = message;
  const max = channelKinds.get(channelKind)?.capabilities.max_text;
  if (content.type !== 'text' || max === undefined || content.text.length <= max) return [message];
  const parts = splitText(content.text, max);
  return parts.map((text, index) => ({
    ...message,
    content: { type: 'text', text },
    sources: index === parts.length - 1 ? message.sources : [],
  }));
}

/** A turn that says what a campaign chose as first words; from the next turn on the agent speaks by itself. */
export function openingTurn(run: ClaimedRun, content: MessageContent): CompletedTurn {
  const trace = { provider: 'campaign', steps: [{ kind: 'opening', detail: 'The campaign opens in its own words.' }] };
  return {
    ...unchanged(run),
    status: 'waiting_for_user',
    conversationStatus: 'open',
    messages: [{ id: newId('msg', timeToSpeak(run)), content, sources: [], trace }],
    messageStatus: DELIVERED_BY_STORING.has(run.channel_kind) ? 'delivered' : 'queued',
  };
}

/** A turn in which the agent says nothing. */
export const silentTurn = (run: ClaimedRun, status: CompletedTurn['status'], reason: string | null): CompletedTurn => ({
  ...unchanged(run),
  status,
  reason,
});

const unchanged = (run: ClaimedRun): CompletedTurn => ({
  orgId: run.org_id,
  runId: run.run_id,
  lease: run.lease,
  conversationId: run.conversation_id,
  conversationVersion: run.conversation_version,
  status: 'completed',
  reason: null,
  conversationStatus: run.conversation_status as CompletedTurn['conversationStatus'],
  locale: run.conversation_locale ?? run.end_user.locale,
  tags: run.tags,
  state: run.state,
  leavesUnanswered: false,
  messages: [],
  messageStatus: 'delivered',
});
