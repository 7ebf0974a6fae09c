import { and, eq, type SQL, sql } from 'drizzle-orm';
import type pg from 'pg';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { event, eventDelivery } from '../schema/event.ts';

export type EventRow = typeof event.$inferSelect;

/** Events are written for a watcher for this long after its last request. */
export const TAIL_MINUTES = 5;

/** The position of a reader of events. */
export type EventPosition = { tx: string; id: string };

/** Parley writes the events of the organization for some more minutes. The row is updated at most once a minute. */
export async function keepTail(db: Queryable, orgId: string, minutes = TAIL_MINUTES): Promise<void> {
  await db.execute(sql`INSERT INTO event_tail (org_id, wanted_until)
    VALUES (${orgId}, now() + make_interval(mins => ${minutes}))
    ON CONFLICT (org_id) DO UPDATE SET wanted_until = excluded.wanted_until
    WHERE event_tail.wanted_until < excluded.wanted_until - interval '1 minute'`);
}

/** The current position, which includes transactions in progress. */
export async function positionNow(db: Queryable, orgId: string): Promise<EventPosition> {
  return { tx: await oldestUnderWay(db, orgId), id: '' };
}

/**
 * The oldest transaction in progress, before which every transaction has ended. The `count` makes Citus read one row
 * from the node of the organization.
 */
async function oldestUnderWay(db: Queryable, orgId: string): Promise<string> {
  const { rows } = await db.execute<{ tx: string }>(sql`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS tx, count(*) FROM event_tail WHERE org_id = ${orgId}`);
  return rows[0]!.tx;
}

/**
 * The events after a position, oldest first, each exactly once. The query reads only transactions before the oldest
 * transaction in progress, because no further event of these transactions can appear.
 */
export async function readEventsAfter(
  db: Queryable,
  orgId: string,
  after: EventPosition,
  filter: { type?: string | undefined; limit: number },
): Promise<{ rows: EventRow[]; position: EventPosition }> {
  const horizon = await oldestUnderWay(db, orgId);
  const rows = await db
    .select()
    .from(event)
    .where(
      and(
        eq(event.orgId, orgId),
        sql`(${event.tx}, ${event.id}) > (${after.tx}::bigint, ${after.id})`,
        sql`${event.tx} < ${horizon}::bigint`,
        filter.type ? eq(event.type, filter.type) : undefined,
      ),
    )
    .orderBy(event.tx, event.id)
    .limit(filter.limit);
  const last = rows.at(-1);
  if (last && rows.length === filter.limit) return { rows, position: { tx: String(last.tx), id: last.id } };
  return { rows, position: BigInt(horizon) > BigInt(after.tx) ? { tx: horizon, id: '' } : after };
}

/** A list of events begins after an event, or at a time. */
export type EventListStart = EventPosition | { since: Date };

/** The position of a stored event. Null if the event was never stored, or was deleted. */
export async function positionOf(db: Queryable, orgId: string, id: string): Promise<EventPosition | null> {
  const [row] = await db
    .select({ tx: event.tx })
    .from(event)
    .where(and(eq(event.orgId, orgId), eq(event.id, id)));
  return row ? { tx: String(row.tx), id } : null;
}

/**
 * One call reads at most this many events to find the events of an agent. No index contains the agent, and an agent may
 * have no events among millions.
 */
const MAX_READ_FOR_AGENT = 5_000;

/**
 * One page of the events of an organization, oldest first, and the ID with which the next page continues. Null: no
 * further page exists. Like `readEventsAfter`, this function reads only transactions before the oldest transaction in
 * progress. No later event can come before a listed event.
 */
export async function listEvents(
  db: Queryable,
  orgId: string,
  start: EventListStart | null,
  filter: { types: readonly string[]; agentId: string | null; limit: number },
): Promise<{ rows: EventRow[]; next: string | null }> {
  const horizon = await oldestUnderWay(db, orgId);
  const readable = and(
    eq(event.orgId, orgId),
    // With this form of the condition, PostgreSQL uses the index of the list.
    sql`${event.type} <> 'audit.recorded'`,
    sql`${event.tx} < ${horizon}::bigint`,
    start === null ? undefined : behind(start),
  );
  const end = filter.agentId === null ? null : await endOfReading(db, readable);
  const rows = await db
    .select()
    .from(event)
    .where(
      and(
        readable,
        end === null ? undefined : sql`(${event.tx}, ${event.id}) <= (${end.tx}::bigint, ${end.id})`,
        sql`${event.type} = ANY (${sql.param([...filter.types])}::text[])`,
        filter.agentId === null ? undefined : sql`${event.data} ->> 'agent_id' = ${filter.agentId}`,
      ),
    )
    .orderBy(event.tx, event.id)
    .limit(filter.limit + 1);
  const page = rows.slice(0, filter.limit);
  return { rows: page, next: rows.length > filter.limit ? page.at(-1)!.id : (end?.id ?? null) };
}

/** The last event that a call reads for an agent. Null: the call reads all events that follow. */
async function endOfReading(db: Queryable, readable: SQL | undefined): Promise<EventPosition | null> {
  const [last] = await db
    .select({ tx: event.tx, id: event.id })
    .from(event)
    .where(readable)
    .orderBy(event.tx, event.id)
    .offset(MAX_READ_FOR_AGENT - 1)
    .limit(1);
  return last ? { tx: String(last.tx), id: last.id } : null;
}

const behind = (start: EventListStart) =>
  'tx' in start
    ? sql`(${event.tx}, ${event.id}) > (${start.tx}::bigint, ${start.id})`
    : sql`${event.createdAt} > ${start.since}`;

/** Stores an event for one endpoint only, which is due immediately. */
export async function insertTestEvent(
  tx: Queryable,
  orgId: string,
  endpointId: string,
  { type, data }: { type: string; data: Record<string, unknown> },
): Promise<string> {
  const id = newId('evt');
  await tx.insert(event).values({ orgId, id, type, data });
  await tx.insert(eventDelivery).values({ orgId, eventId: id, endpointId, dueAt: sql`now()` });
  return id;
}

/**
 * Deletes all events about a person. Deliveries are locked in the order in which workers complete them
 * (src/worker/events/deliver-events.ts), to avoid deadlocks.
 */
export async function deleteEventsOf(tx: Queryable, orgId: string, endUserId: string): Promise<void> {
  await tx.execute(sql`SELECT 1 FROM event e JOIN event_delivery d ON d.org_id = e.org_id AND d.event_id = e.id
    WHERE e.end_user_id = ${endUserId} AND e.org_id = ${orgId} ORDER BY d.event_id, d.endpoint_id FOR UPDATE OF d`);
  await tx.delete(event).where(and(eq(event.endUserId, endUserId), eq(event.orgId, orgId)));
}

/** The time for which events and their deliveries are stored. The last attempt of a delivery is after 76 hours. */
export const EVENT_RETENTION_DAYS = 30;

/** Removes at most `limit` expired events, and returns their number. */
export async function forgetEvents(pool: pg.Pool, limit: number): Promise<number> {
  await pool.query('DELETE FROM event_tail WHERE wanted_until < now()');
  const gone = await pool.query(
    `DELETE FROM event WHERE (org_id, id) IN (
      SELECT org_id, id FROM event WHERE created_at < now() - make_interval(days => ${EVENT_RETENTION_DAYS})
      ORDER BY created_at LIMIT $1)`,
    [limit],
  );
  return gone.rowCount ?? 0;
}
