import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { InboundAnswer, InboundEvent, InboundMessage, InboundRequest } from '../../channels/channel.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import { newId } from '../../kernel/ids.ts';
import type { OpenSecrets } from '../../store/channel-secrets.ts';
import { type Db, isUniqueViolation, isUnreachable, type Queryable } from '../../store/db.ts';
import {
  findChannelConversation,
  findIdentity,
  findInboundChannel,
  findNewcomer,
  findOngoing,
  type InboundChannel,
  insertAddressedConversation,
  insertNewcomer,
  lockAddress,
  rememberEvent,
  setConversationAddress,
  touchIdentity,
} from '../../store/inbound.ts';
import { applyReceipts, keepReceipts } from '../../store/receipts.ts';
import { keepMessage } from './receive-message.ts';

export type ReceiveDeps = {
  db: Db;
  kinds: ChannelKinds;
  openSecrets: OpenSecrets;
  now(): number;
  /** A run wants a turn: the worker of this process may look. */
  onAccepted(): void;
};

/** Races for the same new person that are lost before giving up. */
const TRIES = 3;

/**
 * A provider calls about a channel: verified over the raw bytes, then parsed, then stored, each event once however often
 * it comes. Nothing here waits for an agent or a provider, so the answer goes out in milliseconds; the turn follows.
 */
export function createReceiveFromChannel({ db, kinds, openSecrets, now, onAccepted }: ReceiveDeps) {
  return async function receiveFromChannel(
    target: { kind: string; channelId: string },
    request: InboundRequest,
    requestId: string,
  ): Promise<InboundAnswer | null> {
    try {
      return await receiveVerified(target, request, requestId);
    } catch (error) {
      // The provider calls again; what was stored of this call is not stored twice.
      if (isUnreachable(error)) throw new Refusal('unavailable', undefined, { cause: error });
      throw error;
    }
  };

  async function receiveVerified(
    target: { kind: string; channelId: string },
    request: InboundRequest,
    requestId: string,
  ): Promise<InboundAnswer | null> {
    const channel = await findInboundChannel(db, target.channelId);
    const inbound = kinds.get(target.kind)?.inbound;
    if (!channel || channel.kind !== target.kind || !inbound) throw new Refusal('channel_not_found');
    const secrets = await openSecrets({ orgId: channel.orgId, channelId: channel.id, sealed: channel.sealed });
    const account = { id: channel.id, settings: channel.settings, secrets };
    if (!inbound.verify(request, account, now())) throw new Refusal('signature_invalid');
    if (!channel.enabled) throw new Refusal('channel_disabled');
    const events = parse(() => inbound.parse(request, account));
    await keepAll(channel, events, requestId);
    return inbound.answer?.(request, account) ?? null;
  }

  async function keepAll(channel: InboundChannel, events: InboundEvent[], requestId: string): Promise<void> {
    const receipts = events.filter((event) => event.type === 'receipt');
    if (receipts.length > 0) {
      const kept = receipts.map((receipt) => ({ ...receipt, error: receipt.error ?? null }));
      await keepReceipts(db.$client, channel.orgId, channel.id, kept);
      const known = kept.map(({ providerMessageId }) => ({ orgId: channel.orgId, providerMessageId }));
      await applyReceipts(db.$client, known);
    }
    for (const event of events) {
      if (event.type === 'message') await keepOne(channel, event, requestId);
    }
  }

  async function keepOne(channel: InboundChannel, event: InboundMessage, requestId: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const runId = await db.transaction((tx) => storeMessage(tx, channel, event, requestId));
        if (runId !== null) onAccepted();
        return;
      } catch (error) {
        // Somebody else made the same person at this moment: now there is one to be found.
        if (!isUniqueViolation(error) || attempt >= TRIES) throw error;
      }
    }
  }
}

function parse(work: () => InboundEvent[]): InboundEvent[] {
  try {
    return work();
  } catch (error) {
    if ((error as Error).name === 'InboundError') throw new Refusal('body_invalid', (error as Error).message);
    throw error;
  }
}

async function storeMessage(
  tx: Queryable,
  channel: InboundChannel,
  event: InboundMessage,
  requestId: string,
): Promise<string | null> {
  if (!(await rememberEvent(tx, channel.orgId, channel.id, event.eventId))) return null;
  const conversationId = await conversationOf(tx, channel, event);
  const { runId } = await keepMessage(tx, channel.orgId, conversationId, cleanContent(event.content), requestId);
  return runId;
}

/** The conversation that goes on, or a new one; with it the person, known by address, by identifier, or new. */
async function conversationOf(tx: Queryable, channel: InboundChannel, event: InboundMessage): Promise<string> {
  const { orgId, id: channelId, agentId } = channel;
  if (event.conversationId !== undefined) {
    const known = await findChannelConversation(tx, orgId, channelId, event.conversationId);
    if (!known) throw new Refusal('conversation_not_found', 'The channel has no conversation with this id.');
    if (known.address !== null) {
      await touchIdentity(tx, orgId, { channelId, address: known.address, endUserId: known.endUserId });
    }
    return known.id;
  }
  const address = clean(event.address ?? '');
  await lockAddress(tx, channelId, address);
  const endUserId = (await findIdentity(tx, orgId, channelId, address)) ?? (await personOf(tx, orgId, event));
  await touchIdentity(tx, orgId, { channelId, address, endUserId });
  const ongoing = await findOngoing(tx, orgId, channelId, { address, endUserId });
  if (ongoing) {
    if (ongoing.address === null) await setConversationAddress(tx, orgId, ongoing.id, address);
    return ongoing.id;
  }
  const id = newId('conv');
  const locale = event.person.locale ?? null;
  await insertAddressedConversation(tx, orgId, { id, agentId, channelId, endUserId, address, locale });
  return id;
}

async function personOf(tx: Queryable, orgId: string, { person }: InboundMessage): Promise<string> {
  const said = Object.fromEntries(
    Object.entries(person).map(([name, value]) => [name, value ? clean(value) : null]),
  ) as typeof person;
  const known = await findNewcomer(tx, orgId, said);
  if (known !== null) return known;
  const id = newId('enduser');
  await insertNewcomer(tx, orgId, id, said);
  return id;
}

/** Strangers send anything: the database takes neither NUL nor half a character. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const cleanContent = (content: MessageContent): MessageContent =>
  JSON.parse(JSON.stringify(content), (name, value: unknown) =>
    typeof value === 'string' ? clean(value).slice(0, name === 'text' ? MAX_MESSAGE_CHARACTERS : 2_048) : value,
  ) as MessageContent;

export type ReceiveFromChannel = ReturnType<typeof createReceiveFromChannel>;
