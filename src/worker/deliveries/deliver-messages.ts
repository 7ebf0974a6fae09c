import type { Logger } from 'pino';
import { inboundUrl } from '../../channels/connect.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import { msToOpening } from '../../features/campaigns/delayed-opening.ts';
import type { Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { createTally } from '../../kernel/tally.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { isMoreDue } from '../../store/queue/lanes.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { type ClaimedDelivery, claimDeliveries, DELIVERY_QUEUE } from '../../store/deliveries/claim.ts';
import { type DeliveryOutcome, completeDeliveries, markChannel } from '../../store/deliveries/complete.ts';
import { applyReceipts } from '../../store/deliveries/receipts.ts';
import { type Work, type Worker, createClaimLoop, hasLeaseForCall } from '../claim-loop.ts';
import type { WhenDue } from '../look-loop.ts';
import { deliverMessage, givenBack } from './deliver-message.ts';

/**
 * The delivery worker claims due messages in batches, calls their providers, and stores the outcomes. A second call for
 * the same message happens only if a worker died before it could store the response. After the death of its worker, the
 * message is marked `possible_duplicate`. Any number of workers share one database. The messages of one conversation
 * are sent in order.
 */
export type DeliveryWorkerOptions = {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  kinds: ChannelKinds;
  egress: Pick<Egress, 'request' | 'connect'>;
  openSecrets: OpenSecrets;
  /** The base URL of this region, which providers call. */
  baseUrl: string;
};

/** Maximum number of calls in progress, which wait for a provider. */
const CAPACITY = 400;
const CLAIM_BATCH = 100;
/**
 * The organizations of one lane may use this part of the capacity, because endpoints that hang must leave room for
 * other organizations.
 */
const MAX_PER_LANE = 350;
/** One channel may use this part of the capacity, because a slow endpoint must not delay messages of other channels. */
const MAX_PER_CHANNEL = 32;
const CROWDED_MS = 500;
const POLL_MS = 200;

export function createDeliveryWorker(options: DeliveryWorkerOptions): Worker {
  const { db, log, whenDue, kinds, egress, openSecrets, baseUrl } = options;
  const pool = db.$client;
  const lanes = createTally<number>();
  const channels = createTally<string>();

  const loop = createClaimLoop<ClaimedDelivery, DeliveryOutcome, boolean>({
    rows: 'messages',
    log,
    pollMs: POLL_MS,
    whenDue,
    capacity: CAPACITY,
    batch: CLAIM_BATCH,
    leaseSeconds: LEASE_SECONDS.message,
    claim: async (limit) => {
      // Each claim has a new lease, so a row that this worker lost and claimed again is not mistaken for the earlier
      // claim.
      const claimed = await claimDeliveries(pool, newId('node'), limit, lanes.counts, MAX_PER_LANE);
      // crash point: delivery:after-claim
      return { claimed, isMoreDue: isMoreDue(claimed, limit) };
    },
    renew: async (claimed) => void (await DELIVERY_QUEUE.renewAll(pool, claimed)),
    work: (work) => (channels.of(work.row.channel.id) > MAX_PER_CHANNEL ? giveBack(work.row) : deliver(work)),
    complete,
    storesAtOnce: 2,
    ids: ({ id }) => ({ message_id: id }),
    onBegin: ({ lane, channel }) => {
      lanes.add(lane);
      channels.add(channel.id);
    },
    onEnd: ({ lane, channel }) => {
      lanes.remove(lane);
      channels.remove(channel.id);
      // The next message of the conversation may be waiting for this message.
      return true;
    },
  });

  async function complete(outcomes: DeliveryOutcome[]): Promise<boolean[]> {
    const stored = await completeDeliveries(pool, outcomes);
    // crash point: delivery:after-store
    const known = outcomes.filter((outcome) => outcome.providerMessageId !== null);
    await applyReceipts(
      pool,
      known.map(({ claimed, providerMessageId }) => ({ orgId: claimed.org_id, providerMessageId: providerMessageId! })),
    ).catch((error: unknown) => log.warn({ err: error }, 'early receipts could not be put on their messages'));
    return outcomes.map(({ claimed }) => stored.has(claimed.id));
  }

  async function giveBack(claimed: ClaimedDelivery): Promise<void> {
    await loop.store(givenBack(claimed, CROWDED_MS));
  }

  async function deliver(work: Work<ClaimedDelivery>): Promise<void> {
    const claimed = work.row;
    // The first message of a campaign may have been delayed into quiet hours, so the hours are checked.
    const toOpeningMs = claimed.role === 'agent' ? await msToOpening(db, claimed.org_id, { messageId: claimed.id }) : 0;
    if (toOpeningMs > 0) return void (await loop.store(givenBack(claimed, toOpeningMs)));
    if (!hasLeaseForCall(work, LEASE_SECONDS.message)) return giveBack(claimed);
    const { kind, id } = claimed.channel;
    const tools = { egress, signal: work.abort.signal, now: Date.now, inboundUrl: inboundUrl(baseUrl, { kind }, id) };
    const { outcome, broken, called } = await deliverMessage(claimed, { kinds, openSecrets, tools });
    // crash point: delivery:after-call
    if (outcome.error !== null) {
      const { error, againAfterMs, status } = outcome;
      log.warn(
        { message_id: claimed.id, channel_id: claimed.channel.id, error, status, againAfterMs },
        'not delivered',
      );
    }
    await loop.storeWithRetries(outcome);
    if (broken !== null) await mark(claimed, { status: 'broken', detail: broken });
    else if (called && outcome.error === null && claimed.channel.status === 'broken')
      await mark(claimed, { status: 'connected' });
  }

  const mark = ({ org_id, channel }: ClaimedDelivery, state: Parameters<typeof markChannel>[3]) =>
    markChannel(pool, org_id, channel.id, state);

  return loop;
}
