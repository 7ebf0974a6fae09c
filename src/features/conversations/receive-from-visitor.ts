import type { MessageContent } from '../../../contract/messages.ts';
import type { Visitor } from '../../access/visitors/visitor-token.ts';
import type { InboundChannel } from '../../store/inbound/find-receiver.ts';
import { insertAttachment, tieAttachment } from '../../store/attachments/attachments.ts';
import { findVisitorMessage, type VisitorMessageRow } from '../../store/visitors.ts';
import type { ConversationsDeps } from './deps.ts';
import { newAttachment, type SentFile } from './new-attachment.ts';

type Deps = Pick<ConversationsDeps, 'db' | 'inboundQueue' | 'onAccepted'>;
/**
 * Any number of strangers can send files in a web chat, so a part of the limit is reserved for members and other
 * channels.
 */
const VISITORS_SHARE = 0.8;

type Received = { message: VisitorMessageRow; answering: boolean };

/**
 * Stores the message of a web chat visitor like an inbound message of any channel. The widget creates an ID for each
 * message and repeats the message until it gets a response, maybe days later. The message is stored once, and each call
 * gets the same response.
 */
export async function receiveFromVisitor(
  deps: Deps,
  channel: InboundChannel,
  visitor: Visitor,
  { client_id: clientId, text }: { client_id: string; text: string },
  requestId: string,
): Promise<Received> {
  return receiveOnce(deps, { channel, visitor, clientId, requestId }, () => Promise.resolve({ type: 'text', text }));
}

/**
 * Receives a file from a visitor like a message. The file is stored first, so that the message never refers to a
 * missing file.
 */
export async function receiveFileFromVisitor(
  deps: Deps & Pick<ConversationsDeps, 'baseUrl'>,
  channel: InboundChannel,
  visitor: Visitor,
  { client_id: clientId, ...file }: { client_id: string } & SentFile,
  requestId: string,
): Promise<Received> {
  let stored: string | undefined;
  const received = await receiveOnce(
    deps,
    { channel, visitor, clientId, requestId },
    async (orgId, providerMessageId) => {
      const { row, content } = await newAttachment(deps, orgId, file, { share: VISITORS_SHARE });
      await insertAttachment(deps.db, orgId, { ...row, providerMessageId });
      stored = row.id;
      return content;
    },
  );
  if (stored !== undefined) await tieAttachment(deps.db, channel.orgId, stored);
  return received;
}

type Sent = { channel: InboundChannel; visitor: Visitor; clientId: string; requestId: string };

async function receiveOnce(
  { db, inboundQueue, onAccepted }: Deps,
  { channel, visitor, clientId, requestId }: Sent,
  makeContent: (orgId: string, providerMessageId: string) => Promise<MessageContent>,
): Promise<Received> {
  const place = { orgId: channel.orgId, channelId: channel.id, address: visitor.address };
  // The combined ID is unambiguous, because an address contains no colon.
  const providerMessageId = `${visitor.address}:${clientId}`;
  const known = await findVisitorMessage(db.$client, place, providerMessageId);
  if (known) return { message: known, answering: false };
  const received = await inboundQueue.store(
    channel,
    {
      type: 'message',
      eventId: providerMessageId,
      providerMessageId,
      address: visitor.address,
      person: { external_id: visitor.externalId, name: visitor.name, locale: visitor.locale },
      content: await makeContent(channel.orgId, providerMessageId),
    },
    requestId,
  );
  if (received !== null && received.runId !== null) onAccepted();
  const message = (await findVisitorMessage(db.$client, place, providerMessageId))!;
  return { message, answering: received !== null && received.runId !== null && !message.unheard };
}
