import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf } from '../page.ts';
import { event, eventDelivery, webhookEndpoint } from '../schema/event.ts';

/** The delivery of one event to one endpoint. */
export type DeliveryPlace = { eventId: string; endpointId: string };

const columns = {
  eventId: eventDelivery.eventId,
  endpointId: eventDelivery.endpointId,
  endpointUrl: webhookEndpoint.url,
  type: event.type,
  state: eventDelivery.state,
  attempts: eventDelivery.attempts,
  history: eventDelivery.history,
  dueAt: eventDelivery.dueAt,
  createdAt: eventDelivery.createdAt,
  updatedAt: eventDelivery.updatedAt,
};

const selectDeliveries = (db: Queryable) =>
  db
    .select(columns)
    .from(eventDelivery)
    .innerJoin(event, and(eq(event.orgId, eventDelivery.orgId), eq(event.id, eventDelivery.eventId)))
    .innerJoin(
      webhookEndpoint,
      and(eq(webhookEndpoint.orgId, eventDelivery.orgId), eq(webhookEndpoint.id, eventDelivery.endpointId)),
    );

export type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number];

const at = (orgId: string, { eventId, endpointId }: DeliveryPlace) =>
  and(eq(eventDelivery.orgId, orgId), eq(eventDelivery.eventId, eventId), eq(eventDelivery.endpointId, endpointId));

/** Lists deliveries, newest event first, by ID, which contains the time. */
export async function listDeliveries(
  db: Queryable,
  orgId: string,
  filter: { endpointId?: string | undefined; type?: string | undefined; state?: string | undefined },
  { limit, after }: { limit: number; after: DeliveryPlace | null },
): Promise<PageOf<DeliveryRow>> {
  const rows = await selectDeliveries(db)
    .where(
      and(
        eq(eventDelivery.orgId, orgId),
        filter.endpointId ? eq(eventDelivery.endpointId, filter.endpointId) : undefined,
        filter.type ? eq(event.type, filter.type) : undefined,
        filter.state ? eq(eventDelivery.state, filter.state) : undefined,
        after
          ? sql`(${eventDelivery.eventId}, ${eventDelivery.endpointId}) < (${after.eventId}, ${after.endpointId})`
          : undefined,
      ),
    )
    .orderBy(desc(eventDelivery.eventId), desc(eventDelivery.endpointId))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** Reads a delivery and its content. */
export async function readDelivery(
  db: Queryable,
  orgId: string,
  place: DeliveryPlace,
): Promise<(DeliveryRow & { data: Record<string, unknown>; happenedAt: Date }) | null> {
  const [row] = await selectDeliveries(db).where(at(orgId, place));
  if (!row) return null;
  const [carried] = await db
    .select({ data: event.data, happenedAt: event.createdAt })
    .from(event)
    .where(and(eq(event.orgId, orgId), eq(event.id, place.eventId)));
  return carried ? { ...row, ...carried } : null;
}

/** Makes the delivery due now, with a new series of attempts. An attempt in progress continues without change. */
export async function resendDelivery(tx: Queryable, orgId: string, place: DeliveryPlace): Promise<void> {
  await tx
    .update(eventDelivery)
    .set({ state: 'pending', attempts: 0, early: 0, dueAt: sql`now()`, updatedAt: sql`statement_timestamp()` })
    .where(and(at(orgId, place), sql`${eventDelivery.lease} IS NULL`));
}

/** The maximum number of deliveries that become due in one statement. */
const RECOVERED_AT_ONCE = 5_000;

/**
 * The time of a recovery, at which all of its deliveries become due. Deliveries that change later do not belong to the
 * recovery.
 */
export async function recoveryTime(db: Queryable): Promise<Date> {
  const { rows } = await db.execute<{ at: string }>(sql`SELECT date_trunc('milliseconds', clock_timestamp()) AS at`);
  return new Date(rows[0]!.at);
}

/**
 * Makes deliveries of events after `since` due that the endpoint did not accept, each with a new series of attempts.
 * Workers claim deliveries with the same due time in the order of their events. Returns how many deliveries became due.
 * The caller repeats the call while `isMore` is true.
 */
export async function recoverDeliveries(
  tx: Queryable,
  orgId: string,
  endpointId: string,
  { since, until }: { since: Date; until: Date },
): Promise<{ recovered: number; isMore: boolean }> {
  const found = await tx.execute(sql`
    WITH lost AS (
      SELECT d.org_id, d.event_id, d.endpoint_id FROM event_delivery d
      JOIN event e ON e.org_id = d.org_id AND e.id = d.event_id
      WHERE d.org_id = ${orgId} AND d.endpoint_id = ${endpointId} AND d.state <> 'delivered' AND d.lease IS NULL
        AND e.created_at >= ${since} AND d.updated_at <= ${until}::timestamptz
      ORDER BY d.event_id LIMIT ${RECOVERED_AT_ONCE} FOR UPDATE OF d SKIP LOCKED)
    UPDATE event_delivery d SET state = 'pending', attempts = 0, early = 0, due_at = ${until}::timestamptz,
      updated_at = greatest(statement_timestamp(), ${until}::timestamptz + interval '1 millisecond')
    FROM lost WHERE d.org_id = lost.org_id AND d.event_id = lost.event_id AND d.endpoint_id = lost.endpoint_id`);
  const recovered = found.rowCount ?? 0;
  return { recovered, isMore: recovered === RECOVERED_AT_ONCE };
}
