import type { Visitor } from '../../access/visitors/visitor-token.ts';
import type { Db } from '../../store/db.ts';
import type { InboundChannel } from '../../store/inbound/place.ts';
import { findVisitorMessage, type VisitorMessageRow } from '../../store/visitors.ts';
import type { InboundQueue } from './inbound-queue.ts';

/**
 * A visitor of a web chat wrote something: kept like what comes in on any channel. The widget names each message and
 * sends it until it is answered, maybe days later: it is said once, and the same answer is given again.
 */
export function createReceiveFromVisitor({
  db,
  queue,
  onAccepted,
}: {
  db: Db;
  queue: InboundQueue;
  onAccepted(): void;
}) {
  return async function receiveFromVisitor(
    channel: InboundChannel,
    visitor: Visitor,
    { client_id: clientId, text }: { client_id: string; text: string },
    requestId: string,
  ): Promise<{ message: VisitorMessageRow; answering: boolean }> {
    const place = { orgId: channel.orgId, channelId: channel.id, address: visitor.address };
    // An address has no colon.
    const providerMessageId = `${visitor.address}:${clientId}`;
    const known = await findVisitorMessage(db.$client, place, providerMessageId);
    if (known) return { message: known, answering: false };
    const kept = await queue.keep(
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
  };
}

export type ReceiveFromVisitor = ReturnType<typeof createReceiveFromVisitor>;
