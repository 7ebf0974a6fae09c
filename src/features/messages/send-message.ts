import type { AcceptedMessage, SendMessage } from '../../../contract/channels.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { ChannelFacts } from '../../access/types.ts';
import type { ChannelKind } from '../../channels/channel.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { unreadableAddress } from '../../channels/unreadable-address.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readSendAt } from '../../kernel/validation/read-send-at.ts';
import type { StoredAnswer } from '../../store/runs/accept-call.ts';
import { readStoredAnswer } from '../../store/idempotency/stored-answer.ts';
import type { ChannelRules, NewMessage, SendCall, Target } from '../../store/messages/send-call.ts';
import type { MessagesDeps } from './deps.ts';

export type SendInput = {
  orgId: string;
  agentId: string;
  channel: ChannelFacts;
  body: SendMessage;
  /** The calling key, which the fence checks in the accepting statement. Null: a member sends from the dashboard. */
  keyId: string | null;
  /** The network address of the key's caller, which is checked together with the key. */
  from: string | null;
  /** True: the key may not change people, so it only fills empty fields. */
  fillsOnly: boolean;
  idempotency: { scope: Buffer; request: Buffer } | null;
};

/**
 * Accepts a message for delivery. The call resolves after message, conversation, end user and stored response have been
 * committed together.
 */
export const sendMessage = (
  deps: MessagesDeps,
  input: SendInput,
): Promise<{ answer: StoredAnswer; replayed: boolean }> =>
  deps.guard({ orgId: input.orgId, idempotency: input.idempotency }, () => accept(deps, input));

async function accept(
  { db, sendQueue, wake }: MessagesDeps,
  input: SendInput,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  let call: SendCall;
  try {
    call = checkSend(input, channelKinds.get(input.channel.kind));
  } catch (refusal) {
    // A repeated call gets its stored response, even if a record was disabled after the first call.
    const stored = await readStoredAnswer(db.$client, input);
    if (stored?.kind === 'replayed') return { answer: stored.answer, replayed: true };
    throw stored?.kind === 'refused' ? stored.refusal : refusal;
  }
  const outcome = await sendQueue.accept(call);
  if (outcome.kind === 'refused') throw outcome.refusal;
  if (outcome.kind === 'replayed') return { answer: outcome.answer, replayed: true };
  if (outcome.message.status === 'queued') wake.deliveries();
  return { answer: outcome.answer, replayed: false };
}

/**
 * Checks rows 14 (rules that the schema cannot express) and 15 of the order of checks (docs/security.md), without the
 * database.
 */
function checkSend(input: SendInput, kind?: ChannelKind): SendCall {
  const { orgId, agentId, channel, body, keyId, from, fillsOnly, idempotency } = input;
  if (!kind) throw new Refusal('channel_unsupported', 'This server does not support this kind of channel.');
  const faults: Fault[] = [];
  const to = readTarget(body, kind, faults);
  const sendAt = readSendAt(body.send_at, faults);
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
  checkContent(body, kind);
  if (!channel.enabled) throw new Refusal('channel_disabled');
  const path = `/api/channels/${agentId}/${channel.id}/messages`;
  return {
    orgId,
    keyId,
    from,
    agentId,
    channelId: channel.id,
    rules: rulesOf(kind),
    to: to!,
    fillsOnly,
    content: body.content,
    replyTo: body.reply_to ?? null,
    metadata: body.metadata && Object.keys(body.metadata).length > 0 ? body.metadata : null,
    sendAt,
    idempotency,
    answer: (message) => ({
      status: 202,
      location: `${path}/${message.id}`,
      body: JSON.stringify(presentAccepted(message)),
    }),
  };
}

const rulesOf = (kind: ChannelKind): ChannelRules => ({
  kind: kind.kind,
  byStoring: kind.byStoring === true,
  needsAddress: kind.capabilities.needs_address,
  replyWindowHours: kind.capabilities.reply_window_hours,
  addressOf: (person) => kind.addressOf?.({ ...person, id: '', name: null }) ?? null,
});

function readTarget({ to }: SendMessage, kind: ChannelKind, faults: Fault[]): Target | null {
  const { end_user: endUser, address, conversation_id: conversationId } = to;
  if ([endUser, address, conversationId].filter((one) => one !== undefined).length !== 1) {
    const detail = 'Name the recipient with exactly one of end_user, address and conversation_id.';
    faults.push({ pointer: '/to', code: 'exactly_one', detail });
    return null;
  }
  if (conversationId !== undefined) return { conversationId };
  if (address !== undefined) {
    const known = kind.readAddress ? kind.readAddress(address) : address;
    if (known !== null) return { address: known, person: personAt(kind, known) };
    faults.push({
      pointer: '/to/address',
      code: 'format',
      detail: unreadableAddress(kind),
    });
    return null;
  }
  const { id, external_id, email, phone } = endUser!;
  if ([id, external_id, email, phone].every((one) => one === undefined)) {
    const detail = 'Name the person by id, external_id, email or phone.';
    faults.push({ pointer: '/to/end_user', code: 'required', detail });
  }
  if (id !== undefined && Object.keys(endUser!).length > 1) {
    const detail = 'With an id, no other field is allowed.';
    faults.push({ pointer: '/to/end_user/id', code: 'conflict', detail });
  }
  return { endUser: endUser! };
}

function personAt(kind: ChannelKind, address: string) {
  const person = kind.personAt?.(address) ?? {};
  return Object.keys(person).length > 0 ? person : null;
}

function checkContent({ content }: SendMessage, { kind, capabilities, refuses }: ChannelKind): void {
  if (!capabilities.content.includes(content.type)) {
    const can = capabilities.content.join(', ');
    throw new Refusal('content_unsupported', `A ${kind} channel supports ${can}.`);
  }
  if ('text' in content && (content.text?.length ?? 0) > capabilities.max_text) {
    throw new Refusal('content_unsupported', `A ${kind} channel supports at most ${capabilities.max_text} characters.`);
  }
  const refusal = refuses?.(content);
  if (refusal) throw new Refusal('content_unsupported', refusal);
}

const presentAccepted = (message: NewMessage): AcceptedMessage => ({
  id: message.id,
  status: message.status,
  conversation_id: message.conversationId,
  end_user_id: message.endUserId,
  created_at: timestamp(message.createdAt),
  ...(message.unchanged.length > 0 && { unchanged: [...message.unchanged] }),
});
