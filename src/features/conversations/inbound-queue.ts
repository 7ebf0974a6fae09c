import { Refusal } from '../../../contract/problems.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import { createBatcherByCell } from '../../store/cells/by-cell.ts';
import { type Db, isDeadlock, retryWhile } from '../../store/db.ts';
import type { InboundChannel } from '../../store/inbound/place.ts';
import { type InboundRow, keepInboundBatch, type KeptMessage } from '../../store/inbound/keep-batch.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import { clean, cleanContent, cleanMetadata, cleanName, keepInboundMessage } from './keep-inbound-message.ts';

/**
 * Handles every inbound message. Messages that arrive together are stored together. So a burst (a provider that was
 * disconnected sends hours of messages at once) is accepted in milliseconds and uses few connections. The first message
 * of a new person is stored alone, because it creates a person and a conversation.
 */
export type InboundQueue = {
  /** Resolves when the message is committed. Null when it was stored before. */
  keep(channel: InboundChannel, event: InboundMessage, requestId: string): Promise<KeptMessage | null>;
  drain(): Promise<void>;
};

type Told = { channel: InboundChannel; event: InboundMessage; requestId: string };

const BATCH = 200;
const LANES = 2;
/** Maximum number of waiting messages. A provider that gets 503 calls again. */
const QUEUE = 5_000;
/** How many new people of one batch are created concurrently. Each needs a connection. */
const NEWCOMERS_AT_ONCE = 4;
/** How often a batch is retried when two nodes conflict. */
const TRIES = 3;

export function createInboundQueue(db: Db, suppression: Suppression): InboundQueue {
  const queue = createBatcherByCell<Told, KeptMessage | null>(db.$client, ({ channel }) => channel.orgId, {
    size: BATCH,
    lanes: LANES,
    queue: QUEUE,
    send: (told) => keepAll(db, suppression, told),
    full: () => new Refusal('unavailable', 'Too many messages are waiting on this server.'),
  });
  return {
    keep: (channel, event, requestId) => queue.add({ channel, event, requestId }),
    drain: () => queue.drain(),
  };
}

type Outcome = KeptMessage | null | Error;

async function keepAll(db: Db, suppression: Suppression, told: readonly Told[]): Promise<Outcome[]> {
  const outcomes = new Map<Told, Outcome>();
  let waiting = [...told];
  // Each round stores the first message of every new person. After that, their other messages have a conversation.
  while (waiting.length > 0) {
    // A file is rare. Its entry in the queue of files is written with it, and a turn may wait for its transcript.
    const isPlain = ({ file, content }: Told['event']) => file === undefined && content.type !== 'audio';
    const placeable = waiting.filter(({ event }) => event.conversationId === undefined && isPlain(event));
    const kept = placeable.length > 0 ? await keepPlaced(db, placeable) : [];
    placeable.forEach((one, index) => {
      const outcome = kept[index]!;
      if (outcome !== 'unplaced') outcomes.set(one, outcome === 'repeated' ? null : outcome);
    });
    const unplaced = waiting.filter((one) => !outcomes.has(one));
    const firsts = [...new Map(unplaced.toReversed().map((one) => [placeOf(one), one])).values()];
    await inTurns(firsts, NEWCOMERS_AT_ONCE, async (one) => {
      const stored = keepInboundMessage(db, one.channel, one.event, one.requestId, suppression);
      outcomes.set(one, await stored.catch((error: unknown) => error as Error));
    });
    waiting = unplaced.filter((one) => !outcomes.has(one));
  }
  return told.map((one) => outcomes.get(one)!);
}

const placeOf = ({ channel, event }: Told): string =>
  `${channel.id} ${event.conversationId === undefined ? `address ${event.address}` : event.conversationId}`;

async function keepPlaced(db: Db, told: readonly Told[]) {
  const rows: InboundRow[] = told.map(({ channel, event, requestId }) => ({
    orgId: channel.orgId,
    channelId: channel.id,
    address: clean(event.address ?? ''),
    eventId: event.eventId,
    content: cleanContent(event.content),
    providerMessageId: cleanName(event.providerMessageId),
    metadata: cleanMetadata(event.metadata) ?? null,
    requestId,
  }));
  return retryWhile(isDeadlock, TRIES, () => keepInboundBatch(db.$client, rows));
}

async function inTurns<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < all.length) await work(all[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
}
