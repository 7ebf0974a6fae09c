import type { MessageContent } from '../../../contract/messages.ts';
import type { Visitor } from '../../access/visitors/visitor-token.ts';
import type { InboundChannel } from '../../store/inbound/place.ts';
import { insertAttachment, tieAttachment } from '../../store/attachments/attachments.ts';
import { findVisitorMessage, type VisitorMessageRow } from '../../store/visitors.ts';
import type { ConversationsDeps } from './deps.ts';
import { newAttachment, type SentFile } from './new-attachment.ts';

type Deps = Pick<ConversationsDeps, 'db' | 'inboundQueue' | 'onAccepted'>;
/** Strangers, as many as like, send files in a web chat: a part of the room stays for members and other channels. */
const VISITORS_SHARE = 0.8;

type Received = { message: VisitorMessageRow; answering: boolean };

/**
 * Stores the message of a web chat visitor like an inbound message of any channel. The widget gives each message an id
 * and sends it until it is answered, maybe days later: the message is stored once, and each call gets the same answer.
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

/** The same with a file; it is stored first, so that the message never names a file that is not there. */
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
  // An address contains no colon.
  const providerMessageId = `${visitor.address}:${clientId}`;
  const known = await findVisitorMessage(db.$client, place, providerMessageId);
  if (known) return { message: known, answering: false };
  const kept = await inboundQueue.keep(
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
  if (kept !== null && kept.runId !== null) onAccepted();
  const message = (await findVisitorMessage(db.$client, place, providerMessageId))!;
  return { message, answering: kept !== null && kept.runId !== null && !message.unheard };
}
