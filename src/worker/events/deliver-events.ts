import type { Logger } from 'pino';
import type { Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tracer } from '../../kernel/traces/tracer.ts';
import { createTally } from '../../kernel/tally.ts';
import { recordAudit, SYSTEM } from '../../store/organizations/audit.ts';
import type { OpenSealed } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import {
  type ClaimedEvent,
  claimEvents,
  completeEvents,
  type EventOutcome,
  makeWaitingDue,
  readTrace,
  renewEvents,
} from '../../store/events/deliver.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { cancelPending, changeWebhook, lockWebhook } from '../../store/webhooks.ts';
import { createClaimLoop, hasLeaseForCall, type Work, type Worker } from '../claim-loop.ts';
import type { WhenDue } from '../look-loop.ts';
import { deliverEvent, givenBack } from './deliver-event.ts';

/**
 * The event worker claims due deliveries in batches, calls the endpoints, and stores the outcomes. An event is sent at
 * least once. If a worker ends between the call and the write, another worker sends the event again, and the receiver
 * detects the duplicate by `webhook-id`. Any number of workers share one database. Unlike messages, events have no
 * order, so a failed event does not delay the next event.
 */
export type EventWorkerOptions = {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  egress: Pick<Egress, 'request'>;
  openSealed: OpenSealed;
  random?: () => number;
  /** Absent or null: tracing is off. */
  tracer?: Tracer | null;
};

/** The worker has at most this many calls in progress, which wait for an endpoint. */
const CAPACITY = 200;
const CLAIM_BATCH = 100;
/** One endpoint may use this part of the capacity, because a slow or dead endpoint must not delay other endpoints. */
const MAX_PER_ENDPOINT = 8;
const POLL_MS = 500;

export function createEventWorker(options: EventWorkerOptions): Worker {
  const { db, log, egress, openSealed, random = Math.random, tracer } = options;
  const pool = db.$client;
  const endpoints = createTally<string>();

  const loop = createClaimLoop<ClaimedEvent, EventOutcome, void>({
    rows: 'events',
    log,
    pollMs: POLL_MS,
    whenDue: options.whenDue,
    capacity: CAPACITY,
    batch: CLAIM_BATCH,
    leaseSeconds: LEASE_SECONDS.event_delivery,
    claim: async (limit) => {
      // Each claim has a new lease, so a row that this worker lost and claimed again is not mistaken for the earlier
      // claim.
      const quota = { limit, share: MAX_PER_ENDPOINT, busy: endpoints.counts };
      const claimed = await claimEvents(pool, newId('node'), quota);
      return { claimed, isMoreDue: claimed.length > 0 };
    },
    renew: async (claimed) => void (await renewEvents(pool, claimed.toSorted(inOrder))),
    work: deliver,
    complete: async (outcomes) => {
      await completeEvents(
        pool,
        outcomes.toSorted((a, b) => inOrder(a.claimed, b.claimed)),
      );
      const healthy = outcomes.filter(({ state }) => state === 'delivered').map(({ claimed }) => claimed);
      const once = new Map(healthy.map((claimed) => [`${claimed.org_id} ${claimed.endpoint_id}`, claimed]));
      // If the statement fails, the outcomes are still stored, and waiting deliveries become due at their time.
      if (once.size > 0)
        await makeWaitingDue(pool, [...once.values()]).catch((error: unknown) =>
          log.warn({ err: error }, 'The waiting deliveries of an endpoint could not be made due.'),
        );
      return outcomes.map(() => undefined);
    },
    storesAtOnce: 1,
    ids: ({ event_id, endpoint_id }) => ({ event_id, endpoint_id }),
    onBegin: ({ endpoint_id }) => endpoints.add(endpoint_id),
    onEnd: ({ endpoint_id }) => {
      endpoints.remove(endpoint_id);
      // More events may be waiting for this endpoint.
      return true;
    },
  });

  async function deliver(work: Work<ClaimedEvent>): Promise<void> {
    const claimed = work.row;
    if (!hasLeaseForCall(work, LEASE_SECONDS.event_delivery)) return loop.store(givenBack(claimed));
    const { signal } = work.abort;
    const trace = tracer ? await readTrace(pool, claimed).catch(() => null) : null;
    // An event without a run, or of a run without a trace, starts no trace.
    const span =
      trace && tracer?.span('deliver event', 'client', { ours: trace }, { 'parley.event.type': claimed.type });
    const sent = { egress, openSealed, signal, random, ...(span && { trace: span.traceparent }) };
    const { outcome, gone } = await deliverEvent(claimed, sent);
    if (span)
      span.set({ 'http.response.status_code': outcome.attempt?.status, 'parley.event.attempt': claimed.attempts });
    if (span) span.end(outcome.attempt?.error?.code);
    const { attempt, state, againAfterMs } = outcome;
    if (attempt?.error) {
      const { event_id, endpoint_id } = claimed;
      log.info({ event_id, endpoint_id, error: attempt.error, state, againAfterMs }, 'an event was not delivered');
    }
    await loop.storeWithRetries(outcome);
    if (gone) await disable(claimed);
  }

  /**
   * In Standard Webhooks, 410 means that the endpoint was removed permanently. Does nothing if the endpoint's URL has
   * changed since the call.
   */
  async function disable({ org_id: orgId, endpoint_id: id, url }: ClaimedEvent): Promise<void> {
    const isDisabled = await db.transaction(async (tx) => {
      const endpoint = await lockWebhook(tx, orgId, id);
      if (!endpoint?.enabled || endpoint.url !== url) return false;
      await changeWebhook(tx, orgId, id, { enabled: false, disabledReason: 'gone' });
      await recordAudit(tx, {
        orgId,
        actor: SYSTEM,
        action: 'webhook.disabled',
        subjectId: id,
        facts: { status: 410 },
      });
      return true;
    });
    if (isDisabled) await cancelPending(db, orgId, id);
  }

  return loop;
}

/** The order in which a statement locks several deliveries, to avoid deadlocks. */
const inOrder = (a: Pick<ClaimedEvent, 'event_id' | 'endpoint_id'>, b: typeof a): number =>
  a.event_id === b.event_id ? compare(a.endpoint_id, b.endpoint_id) : compare(a.event_id, b.event_id);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
