import type { Logger } from 'pino';
import type { Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { createTally } from '../../kernel/tally.ts';
import { recordAudit, SYSTEM } from '../../store/organizations/audit.ts';
import type { OpenSealed } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import {
  type ClaimedEvent,
  claimEvents,
  completeEvents,
  EVENT_LEASE_SECONDS,
  type EventOutcome,
  renewEvents,
} from '../../store/events/deliver.ts';
import { cancelPending, changeWebhook, lockWebhook } from '../../store/events/webhooks.ts';
import { createClaimLoop, hasLeaseForCall, type Work, type Worker } from '../claim-loop.ts';
import { deliverEvent, givenBack } from './deliver-event.ts';

/**
 * The worker that tells endpoints of events: claims due deliveries in batches, calls the endpoints, stores what came of
 * it. An event is sent at least once: a worker that dies between calling and storing leaves it to another one, and the
 * receiver knows the repetition by `webhook-id`. Any number of workers share one database. Unlike messages, events keep
 * no order: an endpoint that fails for one does not hold up the next.
 */
export type EventWorkerOptions = {
  db: Db;
  log: Logger;
  egress: Pick<Egress, 'request'>;
  openSealed: OpenSealed;
  random?: () => number;
};

/** Calls under way at once at most; all of them wait for somebody's endpoint. */
const CAPACITY = 200;
const CLAIM_BATCH = 100;
/** Of these for one endpoint: one that is slow or gone must not delay the others. */
const MAX_PER_ENDPOINT = 8;
const POLL_MS = 500;

export function createEventWorker({ db, log, egress, openSealed, random = Math.random }: EventWorkerOptions): Worker {
  const pool = db.$client;
  const endpoints = createTally<string>();

  const loop = createClaimLoop<ClaimedEvent, EventOutcome, void>({
    rows: 'events',
    log,
    pollMs: POLL_MS,
    capacity: CAPACITY,
    batch: CLAIM_BATCH,
    leaseSeconds: EVENT_LEASE_SECONDS,
    claim: async (limit) => {
      // A lease of its own for each claim: what this worker lost and claimed again is not what it holds.
      const quota = { limit, share: MAX_PER_ENDPOINT, busy: endpoints.counts };
      const claimed = await claimEvents(pool, newId('node'), quota);
      return { claimed, isMoreDue: claimed.length > 0 };
    },
    renew: (held) => renewEvents(pool, held.toSorted(inOrder)),
    work: deliver,
    complete: async (outcomes) => {
      await completeEvents(
        pool,
        outcomes.toSorted((a, b) => inOrder(a.held, b.held)),
      );
      return outcomes.map(() => undefined);
    },
    storeLanes: 1,
    ids: ({ event_id, endpoint_id }) => ({ event_id, endpoint_id }),
    onBegin: ({ endpoint_id }) => endpoints.add(endpoint_id),
    onEnd: ({ endpoint_id }) => {
      endpoints.remove(endpoint_id);
      // More may wait for this endpoint.
      return true;
    },
  });

  async function deliver(work: Work<ClaimedEvent>): Promise<void> {
    const claimed = work.row;
    if (!hasLeaseForCall(work, EVENT_LEASE_SECONDS)) return loop.store(givenBack(claimed));
    const { outcome, gone } = await deliverEvent(claimed, { egress, openSealed, signal: work.abort.signal, random });
    const { attempt, state, againAfterMs } = outcome;
    if (attempt?.error) {
      const { event_id, endpoint_id } = claimed;
      log.info({ event_id, endpoint_id, error: attempt.error, state, againAfterMs }, 'an event was not delivered');
    }
    await loop.storeWithRetries(outcome);
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

  return loop;
}

/** The order in which several deliveries are locked, to avoid deadlocks. */
const inOrder = (a: Pick<ClaimedEvent, 'event_id' | 'endpoint_id'>, b: typeof a): number =>
  a.event_id === b.event_id ? compare(a.endpoint_id, b.endpoint_id) : compare(a.event_id, b.event_id);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
