import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf } from '../page.ts';
import { event, eventDelivery, webhookEndpoint } from '../schema/event.ts';

/** One event at one endpoint. */
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

/** Newest event first, by ID, which contains the time. */
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

/** The delivery and its content. */
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

/** Makes the delivery due now, with a new series of attempts. An attempt in progress continues. */
export async function resendDelivery(tx: Queryable, orgId: string, place: DeliveryPlace): Promise<void> {
  await tx
    .update(eventDelivery)
    .set({ state: 'pending', attempts: 0, dueAt: sql`now()`, updatedAt: sql`clock_timestamp()` })
    .where(and(at(orgId, place), sql`${eventDelivery.lease} IS NULL`));
}
