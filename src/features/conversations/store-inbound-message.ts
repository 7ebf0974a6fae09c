import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import { newId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { type Db, isDeadlock, isUniqueViolation, type Queryable, retryWhile } from '../../store/db.ts';
import {
  findChannelConversation,
  findIdentity,
  findNewcomer,
  findOngoing,
  type InboundChannel,
  insertAddressedConversation,
  insertNewcomer,
  lockAddress,
  rememberEvent,
  setConversationAddress,
  touchIdentity,
} from '../../store/inbound/find-receiver.ts';
import type { StoredMessage } from '../../store/inbound/store-batch.ts';
import { insertAwaitedAttachment } from '../../store/attachments/queue.ts';
import { readReadsImages } from '../../store/attachments/images.ts';
import { FILE_WAIT_MS, readTranscribes } from '../../store/attachments/transcripts.ts';
import { findSuppressed } from '../../store/end-users/find-suppressed.ts';
import { type Identified, identifiersAt, IDENTIFIERS, type Suppression } from '../../store/end-users/suppression.ts';
import { cleanFileName } from './new-attachment.ts';
import { keepMessage } from './keep-message.ts';

/** A conflict over the same new person is retried at most this many times. */
const TRIES = 3;
/** If another transaction has just created the person, a retry finds this person. */
const isRetried = (error: unknown): boolean => isUniqueViolation(error) || isDeadlock(error);

/**
 * Stores a message from a channel once, however often the provider reports it. Null if the message was stored before.
 */
export async function storeInboundMessage(
  db: Db,
  channel: InboundChannel,
  event: InboundMessage,
  requestId: string,
  suppression: Suppression,
): Promise<StoredMessage | null> {
  return retryWhile(isRetried, TRIES, () =>
    db.transaction((tx) => storeMessage(tx, channel, event, requestId, suppression)),
  );
}

async function storeMessage(
  tx: Queryable,
  channel: InboundChannel,
  event: InboundMessage,
  requestId: string,
  suppression: Suppression,
): Promise<StoredMessage | null> {
  if (!(await rememberEvent(tx, channel.orgId, channel.id, event.eventId))) return null;
  const conversationId = await conversationOf(tx, channel, event, suppression);
  const stored = await keepMessage(tx, channel.orgId, conversationId, cleanContent(event.content), {
    requestId,
    providerMessageId: cleanName(event.providerMessageId),
    metadata: cleanMetadata(event.metadata) ?? null,
    waitsForMore: true,
    isFile: event.file !== undefined,
    ...((await waitsForFile(tx, channel, event)) && { waitMs: FILE_WAIT_MS }),
  });
  if (event.file) {
    const name = cleanFileName(event.file.name);
    await insertAwaitedAttachment(tx, channel.orgId, {
      id: newId('attachment'),
      messageId: stored.messageId,
      name,
      source: cleanMetadata(event.file.source)!,
    });
  }
  return stored;
}

/** The placeholders that providers use for a voice recording. */
const SPOKEN = /^\[(voice|audio)\]$/;

/**
 * The turn waits for the transcript of audio, and for a file that may be an image if the agent's model reads images.
 */
async function waitsForFile(
  tx: Queryable,
  { orgId, agentId }: InboundChannel,
  { content, file }: InboundMessage,
): Promise<boolean> {
  const isAudio =
    content.type === 'audio' || (file !== undefined && content.type === 'text' && SPOKEN.test(content.text));
  if (isAudio) return readTranscribes(tx, orgId);
  return file !== undefined && readReadsImages(tx, orgId, agentId);
}

/**
 * Finds the open conversation or creates a conversation. The function also finds the person by address or identifier,
 * or creates the person.
 */
async function conversationOf(
  tx: Queryable,
  channel: InboundChannel,
  event: InboundMessage,
  suppression: Suppression,
): Promise<string> {
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
  const endUserId =
    (await findIdentity(tx, orgId, channelId, address)) ?? (await personOf(tx, channel, address, event, suppression));
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

/**
 * An identifier that belongs to another person stays with the other person. A new person may be a person who was
 * erased. An opt-out that is stored under the address, or under the person's own identifiers, still applies.
 */
async function personOf(
  tx: Queryable,
  { orgId, kind }: InboundChannel,
  address: string,
  { person }: InboundMessage,
  suppression: Suppression,
): Promise<string> {
  const fields = Object.fromEntries(
    Object.entries(person).map(([name, value]) => [name, value ? cleanField(name, value) : null]),
  ) as typeof person;
  const found = await findNewcomer(tx, orgId, fields);
  if ('id' in found) return found.id;
  const id = newId('enduser');
  const named: Identified[] = [
    ...identifiersAt(kind, address).map(([known, value]) => ({ orgId, kind: known, value })),
    ...IDENTIFIERS.flatMap((known) => (fields[known] ? [{ orgId, kind: known, value: fields[known] }] : [])),
  ];
  const own = { ...fields, ...Object.fromEntries(found.taken.map((field) => [field, null])) };
  await insertNewcomer(tx, orgId, id, own, await findSuppressed(tx, orgId, named, suppression));
  return id;
}

/**
 * E-mail addresses are stored and compared in lower case. Providers and visitors may send a name with several lines,
 * which becomes one line.
 */
function cleanField(field: string, value: string): string | null {
  if (field === 'name') return oneLine(clean(value)) || null;
  return field === 'email' ? clean(value).toLowerCase() : clean(value);
}

/** Strangers may send any bytes, and the database accepts neither NUL nor half of a surrogate pair. */
export const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

export const cleanContent = (content: MessageContent): MessageContent =>
  JSON.parse(JSON.stringify(content), (name, value: unknown) =>
    typeof value === 'string' ? clean(value.slice(0, name === 'text' ? MAX_MESSAGE_CHARACTERS : 2_048)) : value,
  ) as MessageContent;

/**
 * The sender's ID of a message has at most this length, because the length of a value in an index is limited. The IDs
 * of e-mails are the longest.
 */
const MAX_NAME_BYTES = 1_000;

/** The sender's ID of a message, in the form in which it can be stored and found. */
export const cleanName = (name: string | undefined): string | null =>
  name === undefined || Buffer.byteLength(name) > MAX_NAME_BYTES ? null : clean(name);

export const cleanMetadata = (metadata: InboundMessage['metadata']): Record<string, string> | undefined =>
  metadata && Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, clean(value)]));
