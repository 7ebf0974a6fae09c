import type { Logger } from 'pino';
import { createBatcher } from '../kernel/batcher.ts';
import type { Egress } from '../kernel/egress.ts';
import { newId } from '../kernel/ids.ts';
import { createTally } from '../kernel/tally.ts';
import { recordAudit, SYSTEM } from '../store/audit.ts';
import type { OpenRow } from '../store/channel-secrets.ts';
import type { Db } from '../store/db.ts';
import {
  type ClaimedEvent,
  claimEvents,
  completeEvents,
  EVENT_LEASE_SECONDS,
  type EventOutcome,
  renewEvents,
} from '../store/event-deliveries.ts';
import { cancelPending, changeWebhook, lockWebhook } from '../store/webhooks.ts';
import { deliverEvent, givenBack } from './deliver-event.ts';
import { createLookLoop, storeSurely, waitOrBreakOff } from './look-loop.ts';

/**
 * The worker that tells endpoints of events: claims due deliveries in batches, calls the endpoints, stores what came of
 * it. An event is sent at least once: a worker that dies between calling and storing leaves it to another one, and the
 * receiver knows the repetition by `webhook-id`. Any number of workers share one database. Unlike messages, events keep
 * no order: an endpoint that fails for one does not hold up the next.
 */
export type EventWorker = {
  start(): void;
  wake(): void;
  /** Claims nothing more and waits for calls under way, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

export type EventWorkerOptions = {
  db: Db;
  log: Logger;
  egress: Pick<Egress, 'request'>;
  openRow: OpenRow;
  random?: () => number;
};

/** Calls under way at once at most; all of them wait for somebody's endpoint. */
const CAPACITY = 200;
const CLAIM_BATCH = 100;
/** Of these for one endpoint: one that is slow or gone must not delay the others. */
const MAX_PER_ENDPOINT = 8;
const POLL_MS = 500;
/** A call may take 15 s (kernel/egress): it begins only while so much of the lease is left. */
const NEEDED_LEASE_MS = 17_000;

export function createEventWorker({ db, log, egress, openRow, random = Math.random }: EventWorkerOptions): EventWorker {
  const pool = db.$client;
  const underWay = new Set<{ claimed: ClaimedEvent; done: Promise<void> }>();
  const endpoints = createTally<string>();
  const abort = new AbortController();
  let heartbeat: NodeJS.Timeout | undefined;

  const store = createBatcher<EventOutcome, void>({
    size: CLAIM_BATCH,
    lanes: 1,
    queue: CAPACITY * 2,
    send: async (outcomes) => {
      await completeEvents(
        pool,
        outcomes.toSorted((a, b) => inOrder(a.held, b.held)),
      );
      return outcomes.map(() => undefined);
    },
    full: () => new Error('The event worker is stopping'),
  });

  const loop = createLookLoop(POLL_MS, async () => {
    const limit = Math.min(CLAIM_BATCH, CAPACITY - underWay.size);
    let claimed: ClaimedEvent[] = [];
    const since = performance.now();
    try {
      // A lease of its own for each batch: what this worker lost and took again is not what it holds.
      if (limit > 0)
        claimed = await claimEvents(pool, newId('node'), { limit, share: MAX_PER_ENDPOINT, busy: endpoints.counts });
    } catch (error) {
      if (!loop.isStopping()) log.warn({ err: error }, 'the worker cannot claim events; it tries again');
    }
    for (const one of claimed) begin(one, since);
    return claimed.length > 0;
  });

  function begin(claimed: ClaimedEvent, since: number): void {
    const { event_id: event, endpoint_id: endpoint } = claimed;
    const one = { claimed, done: Promise.resolve() };
    underWay.add(one);
    endpoints.add(endpoint);
    one.done = deliver(claimed, since)
      .catch((error: unknown) => log.warn({ err: error, event_id: event }, 'what came of an event could not be stored'))
      .finally(() => {
        underWay.delete(one);
        endpoints.remove(endpoint);
        // More may wait for this endpoint.
        loop.wake();
      });
  }

  async function deliver(claimed: ClaimedEvent, since: number): Promise<void> {
    // A worker that slept (a suspended machine, a stopped process) may not call for what others have taken since.
    if (performance.now() - since > EVENT_LEASE_SECONDS * 1_000 - NEEDED_LEASE_MS) return store.add(givenBack(claimed));
    const { outcome, gone } = await deliverEvent(claimed, { egress, openRow, signal: abort.signal, random });
    const { attempt, state, againAfterMs } = outcome;
    if (attempt?.error) {
      const { event_id, endpoint_id } = claimed;
      log.info({ event_id, endpoint_id, error: attempt.error, state, againAfterMs }, 'an event was not delivered');
    }
    await storeSurely(() => store.add(outcome), loop.isStopping);
    if (gone) await disable(claimed);
  }

  /** Standard Webhooks: 410 says that the endpoint is gone for good. Unless it was moved elsewhere meanwhile. */
  async function disable({ org_id: orgId, endpoint_id: id, url }: ClaimedEvent): Promise<void> {
    await db.transaction(async (tx) => {
      const endpoint = await lockWebhook(tx, orgId, id);
      if (!endpoint?.enabled || endpoint.url !== url) return;
      await changeWebhook(tx, orgId, id, { enabled: false, disabledReason: 'gone' });
      await cancelPending(tx, orgId, id);
      await recordAudit(tx, {
        orgId,
        actor: SYSTEM,
        action: 'webhook.disabled',
        subjectId: id,
        facts: { status: 410 },
      });
    });
  }

  async function renew(): Promise<void> {
    const held = [...underWay].map(({ claimed }) => claimed).toSorted(inOrder);
    if (held.length > 0) await renewEvents(pool, held).catch(() => {});
  }

  return {
    start: () => {
      heartbeat = setInterval(() => void renew(), (EVENT_LEASE_SECONDS * 1_000) / 3);
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

/** The order in which whoever takes several deliveries takes them: nobody waits in a ring. */
const inOrder = (a: Pick<ClaimedEvent, 'event_id' | 'endpoint_id'>, b: typeof a): number =>
  a.event_id === b.event_id ? compare(a.endpoint_id, b.endpoint_id) : compare(a.event_id, b.event_id);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
