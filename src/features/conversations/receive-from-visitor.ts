import type { Visitor } from '../../access/visitors/visitor-token.ts';
import type { InboundChannel } from '../../store/inbound/place.ts';
import { findVisitorMessage, type VisitorMessageRow } from '../../store/visitors.ts';
import type { ConversationsDeps } from './deps.ts';

/**
 * Stores the message of a web chat visitor like an inbound message of any channel. The widget gives each message an id
 * and sends it until it is answered, maybe days later: the message is stored once, and each call gets the same answer.
 */
export async function receiveFromVisitor(
  { db, inboundQueue, onAccepted }: Pick<ConversationsDeps, 'db' | 'inboundQueue' | 'onAccepted'>,
  channel: InboundChannel,
  visitor: Visitor,
  { client_id: clientId, text }: { client_id: string; text: string },
  requestId: string,
): Promise<{ message: VisitorMessageRow; answering: boolean }> {
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
      content: { type: 'text', text },
    },
    requestId,
  );
  if (kept !== null && kept.runId !== null) onAccepted();
  const message = (await findVisitorMessage(db.$client, place, providerMessageId))!;
  return { message, answering: kept !== null && kept.runId !== null && !message.unheard };
}
