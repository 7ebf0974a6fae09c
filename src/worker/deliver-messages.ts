import type { Logger } from 'pino';
import { inboundUrl } from '../channels/connect.ts';
import type { ChannelKinds } from '../channels/kinds.ts';
import { createBatcher } from '../kernel/batcher.ts';
import type { Egress } from '../kernel/egress.ts';
import { newId } from '../kernel/ids.ts';
import { createTally } from '../kernel/tally.ts';
import type { OpenSecrets } from '../store/channel-secrets.ts';
import type { Db } from '../store/db.ts';
import { isMoreDue } from '../store/queue-lanes.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  DELIVERY_LEASE_SECONDS,
  type DeliveryOutcome,
  markChannel,
  renewDeliveries,
} from '../store/deliveries.ts';
import { applyReceipts } from '../store/receipts.ts';
import { deliverMessage, givenBack } from './deliver-message.ts';
import { createLookLoop, storeSurely, waitOrBreakOff } from './look-loop.ts';

/**
 * The delivery worker: claims due messages in batches, calls their providers, stores what came of it. A message is
 * called for once more only where the worker that called before died before it could store the answer, and is then
 * marked `possible_duplicate`. Any number of workers share one database; one conversation's messages leave in order.
 */
export type DeliveryWorker = {
  start(): void;
  /** A message became due: look now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits for calls under way, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

export type DeliveryWorkerOptions = {
  db: Db;
  log: Logger;
  kinds: ChannelKinds;
  egress: Pick<Egress, 'request' | 'connect'>;
  openSecrets: OpenSecrets;
  /** Of this region, where providers report back. */
  baseUrl: string;
};

/** Calls under way at once at most; all of them wait for a provider. */
const CAPACITY = 400;
const CLAIM_BATCH = 100;
/** Of these for the organizations of one lane: hanging endpoints must leave places to everybody else. */
const MAX_PER_LANE = 350;
/** Of these for one channel: a slow endpoint must not hold up everybody else's messages. */
const MAX_PER_CHANNEL = 32;
const CROWDED_MS = 500;
const POLL_MS = 200;
/** A call may take 15 s (kernel/egress): it begins only while so much of the lease is left. */
const NEEDED_LEASE_MS = 17_000;

export function createDeliveryWorker({
  db,
  log,
  kinds,
  egress,
  openSecrets,
  baseUrl,
}: DeliveryWorkerOptions): DeliveryWorker {
  const pool = db.$client;
  const underWay = new Set<{ claimed: ClaimedDelivery; done: Promise<void> }>();
  const lanes = createTally<number>();
  const channels = createTally<string>();
  const abort = new AbortController();
  let heartbeat: NodeJS.Timeout | undefined;

  const store = createBatcher<DeliveryOutcome, boolean>({
    size: CLAIM_BATCH,
    lanes: 2,
    queue: CAPACITY * 2,
    send: async (outcomes) => {
      const stored = await completeDeliveries(pool, outcomes);
      // crash point: delivery:after-store
      const known = outcomes.filter((outcome) => outcome.providerMessageId !== null);
      await applyReceipts(
        pool,
        known.map(({ held, providerMessageId }) => ({ orgId: held.org_id, providerMessageId: providerMessageId! })),
      ).catch((error: unknown) => log.warn({ err: error }, 'early receipts could not be put on their messages'));
      return outcomes.map(({ held }) => stored.has(held.id));
    },
    full: () => new Error('The delivery worker is stopping'),
  });

  const loop = createLookLoop(POLL_MS, async () => {
    const room = Math.min(CLAIM_BATCH, CAPACITY - underWay.size);
    let claimed: ClaimedDelivery[] = [];
    const since = performance.now();
    try {
      // A lease of its own for each batch: what this worker lost and took again is not what it holds.
      if (room > 0) claimed = await claimDeliveries(pool, newId('node'), room, lanes.counts, MAX_PER_LANE);
    } catch (error) {
      if (!loop.isStopping()) log.warn({ err: error }, 'the worker cannot claim messages; it tries again');
    }
    // crash point: delivery:after-claim
    for (const one of claimed) begin(one, since);
    return isMoreDue(claimed, room);
  });

  function begin(claimed: ClaimedDelivery, since: number): void {
    const { channel, lane } = claimed;
    const isCrowded = channels.of(channel.id) >= MAX_PER_CHANNEL;
    const one = { claimed, done: Promise.resolve() };
    underWay.add(one);
    lanes.add(lane);
    channels.add(channel.id);
    one.done = (isCrowded ? giveBack(claimed) : deliver(claimed, since))
      .catch((error: unknown) =>
        log.warn({ err: error, message_id: claimed.id }, 'what came of a delivery could not be stored'),
      )
      .finally(() => {
        underWay.delete(one);
        lanes.remove(lane);
        channels.remove(channel.id);
        // The next message of the conversation may be waiting for this one.
        loop.wake();
      });
  }

  async function giveBack(claimed: ClaimedDelivery): Promise<void> {
    await store.add(givenBack(claimed, CROWDED_MS));
  }

  async function deliver(claimed: ClaimedDelivery, since: number): Promise<void> {
    // A worker that slept (a suspended machine, a stopped process) may not call for what others have taken since.
    if (performance.now() - since > DELIVERY_LEASE_SECONDS * 1_000 - NEEDED_LEASE_MS) return giveBack(claimed);
    const { kind, id } = claimed.channel;
    const tools = { egress, signal: abort.signal, now: Date.now, inboundUrl: inboundUrl(baseUrl, { kind }, id) };
    const { outcome, broken, called } = await deliverMessage(claimed, { kinds, openSecrets, tools });
    // crash point: delivery:after-call
    if (outcome.error !== null) {
      const { error, againAfterMs, status } = outcome;
      log.warn(
        { message_id: claimed.id, channel_id: claimed.channel.id, error, status, againAfterMs },
        'not delivered',
      );
    }
    await storeSurely(() => store.add(outcome), loop.isStopping);
    if (broken !== null) await mark(claimed, { status: 'broken', detail: broken });
    else if (called && outcome.error === null && claimed.channel.status === 'broken')
      await mark(claimed, { status: 'connected' });
  }

  const mark = ({ org_id, channel }: ClaimedDelivery, state: Parameters<typeof markChannel>[3]) =>
    markChannel(pool, org_id, channel.id, state);

  async function renew(): Promise<void> {
    const held = [...underWay].map(({ claimed }) => claimed);
    if (held.length > 0) await renewDeliveries(pool, held).catch(() => {});
  }

  return {
    start: () => {
      heartbeat = setInterval(() => void renew(), (DELIVERY_LEASE_SECONDS * 1_000) / 3);
      loop.start();
    },
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop();
      const all = Promise.all([...underWay].map(({ done }) => done));
      await waitOrBreakOff(all, graceMs, () => abort.abort());
      clearInterval(heartbeat);
      await store.drain();
    },
  };
}
