import { Refusal } from '../../../contract/problems.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import { createBatcherByCell } from '../../store/cells/by-cell.ts';
import { type Db, isDeadlock, retryWhile } from '../../store/db.ts';
import type { InboundChannel } from '../../store/inbound/find-receiver.ts';
import { type InboundRow, storeInboundBatch, type StoredMessage } from '../../store/inbound/store-batch.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import { isOptOut } from './keep-message.ts';
import { clean, cleanContent, cleanMetadata, cleanName, storeInboundMessage } from './store-inbound-message.ts';

/**
 * Handles every inbound message. Messages that arrive together are stored together, so a provider that sends the
 * messages of several hours together uses few connections and little time. The first message of a new person is stored
 * alone, because it creates a person and a conversation.
 */
export type InboundQueue = {
  /** The promise resolves when the message is committed. Null if the message was stored before. */
  store(channel: InboundChannel, event: InboundMessage, requestId: string): Promise<StoredMessage | null>;
  drain(): Promise<void>;
};

type Inbound = { channel: InboundChannel; event: InboundMessage; requestId: string };

const BATCH = 200;
const BATCHES_AT_ONCE = 2;
/** At most this many messages wait. A provider that gets 503 repeats its call later. */
const QUEUE = 5_000;
/** At most this many new people of one batch are created concurrently, because each person needs a connection. */
const NEWCOMERS_AT_ONCE = 4;
/** A batch is retried this many times when two nodes conflict. */
const TRIES = 3;

export function createInboundQueue(db: Db, suppression: Suppression): InboundQueue {
  const queue = createBatcherByCell<Inbound, StoredMessage | null>(db.$client, ({ channel }) => channel.orgId, {
    size: BATCH,
    batchesAtOnce: BATCHES_AT_ONCE,
    queue: QUEUE,
    send: (inbound) => storeAll(db, suppression, inbound),
    full: () => new Refusal('unavailable', 'Too many messages are waiting on this server.'),
  });
  return {
    store: (channel, event, requestId) => queue.add({ channel, event, requestId }),
    drain: () => queue.drain(),
  };
}

type Outcome = StoredMessage | null | Error;

async function storeAll(db: Db, suppression: Suppression, inbound: readonly Inbound[]): Promise<Outcome[]> {
  const outcomes = new Map<Inbound, Outcome>();
  let waiting = [...inbound];
  // Each round stores the first message of every new person. After a round, the new people have a conversation for
  // their other messages.
  while (waiting.length > 0) {
    // A file, which is rare, needs an entry in the queue of files, and a turn may wait for its transcript.
    // While the team answers, an opt-out changes its person too.
    const isPlain = ({ file, content }: Inbound['event']) =>
      file === undefined && content.type !== 'audio' && !isOptOut(content);
    // A message waits for the earlier messages of its conversation that are stored alone, so the order stays.
    const alone = new Set<string>();
    const placeable = waiting.filter((one) => {
      if (one.event.conversationId === undefined && isPlain(one.event) && !alone.has(placeOf(one))) return true;
      alone.add(placeOf(one));
      return false;
    });
    const stored = placeable.length > 0 ? await storePlaced(db, placeable) : [];
    placeable.forEach((one, index) => {
      const outcome = stored[index]!;
      if (outcome !== 'unplaced') outcomes.set(one, outcome === 'repeated' ? null : outcome);
    });
    const unplaced = waiting.filter((one) => !outcomes.has(one));
    const firsts = [...new Map(unplaced.toReversed().map((one) => [placeOf(one), one])).values()];
    await inTurns(firsts, NEWCOMERS_AT_ONCE, async (one) => {
      const storing = storeInboundMessage(db, one.channel, one.event, one.requestId, suppression);
      outcomes.set(one, await storing.catch((error: unknown) => error as Error));
    });
    waiting = unplaced.filter((one) => !outcomes.has(one));
  }
  return inbound.map((one) => outcomes.get(one)!);
}

const placeOf = ({ channel, event }: Inbound): string =>
  `${channel.id} ${event.conversationId === undefined ? `address ${event.address}` : event.conversationId}`;

async function storePlaced(db: Db, inbound: readonly Inbound[]) {
  const rows: InboundRow[] = inbound.map(({ channel, event, requestId }) => ({
    orgId: channel.orgId,
    channelId: channel.id,
    address: clean(event.address ?? ''),
    eventId: event.eventId,
    content: cleanContent(event.content),
    providerMessageId: cleanName(event.providerMessageId),
    metadata: cleanMetadata(event.metadata) ?? null,
    requestId,
  }));
  return retryWhile(isDeadlock, TRIES, () => storeInboundBatch(db.$client, rows));
}

async function inTurns<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < all.length) await work(all[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
}
