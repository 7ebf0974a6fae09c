import { and, asc, count, eq, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import { checkedOnly } from './queue/join-by-key.ts';
import { webhookEndpoint } from './schema/event.ts';

export type WebhookRow = typeof webhookEndpoint.$inferSelect;

const one = (orgId: string, id: string) => and(eq(webhookEndpoint.orgId, orgId), eq(webhookEndpoint.id, id));

/** Returns all endpoints, because an organization has at most MAX_WEBHOOKS. */
export const listWebhooks = async (db: Queryable, orgId: string): Promise<WebhookRow[]> =>
  db.select().from(webhookEndpoint).where(eq(webhookEndpoint.orgId, orgId)).orderBy(asc(webhookEndpoint.id));

export async function readWebhook(db: Queryable, orgId: string, id: string): Promise<WebhookRow | null> {
  const [row] = await db.select().from(webhookEndpoint).where(one(orgId, id));
  return row ?? null;
}

/**
 * Reads the endpoint and locks it until the transaction ends. Other transactions may still write events for the locked
 * endpoint.
 */
export async function lockWebhook(tx: Queryable, orgId: string, id: string): Promise<WebhookRow | null> {
  const [row] = await tx.select().from(webhookEndpoint).where(one(orgId, id)).for('no key update');
  return row ?? null;
}

/** Until the transaction ends, no other transaction can add or delete an endpoint of the organization. */
export async function lockWebhooks(tx: Queryable, orgId: string): Promise<void> {
  await tx.execute(sql`SELECT 1 FROM organization WHERE id = ${orgId} FOR NO KEY UPDATE`);
}

export async function countWebhooks(tx: Queryable, orgId: string): Promise<number> {
  // The lock makes two simultaneous inserts check the limit one after the other.
  await lockWebhooks(tx, orgId);
  const [row] = await tx.select({ many: count() }).from(webhookEndpoint).where(eq(webhookEndpoint.orgId, orgId));
  return row!.many;
}

export async function insertWebhook(
  tx: Queryable,
  orgId: string,
  input: Pick<WebhookRow, 'id' | 'url' | 'description' | 'types' | 'sealed'>,
): Promise<WebhookRow> {
  const rows = await tx
    .insert(webhookEndpoint)
    .values({ orgId, ...input })
    .returning();
  return rows[0]!;
}

export async function changeWebhook(
  tx: Queryable,
  orgId: string,
  id: string,
  changes: Partial<
    Pick<WebhookRow, 'url' | 'description' | 'types' | 'enabled' | 'disabledReason' | 'sealed' | 'previousUntil'>
  >,
): Promise<WebhookRow | null> {
  const rows = await tx
    .update(webhookEndpoint)
    .set({ ...changes, updatedAt: sql`statement_timestamp()` })
    .where(one(orgId, id))
    .returning();
  return rows[0] ?? null;
}

/** The maximum number of deliveries that one statement cancels or deletes, because an endpoint may have millions. */
const CHANGED_AT_ONCE = 5_000;

/**
 * Cancels the waiting deliveries of a disabled endpoint in pieces. A member can send cancelled deliveries again. An
 * endpoint that was enabled again keeps its deliveries.
 */
export const cancelPending = (db: Queryable, orgId: string, id: string, atOnce = CHANGED_AT_ONCE): Promise<void> =>
  inPieces(db, orgId, id, atOnce, {
    chosen: sql`d.due_at IS NOT NULL AND EXISTS (SELECT FROM webhook_endpoint w
      WHERE w.org_id = ${orgId} AND w.id = ${id} AND NOT w.enabled)`,
    change: sql`UPDATE event_delivery d
      SET state = 'cancelled', due_at = NULL, lease = NULL, updated_at = statement_timestamp() FROM piece`,
  });

/** Deletes the delivery log of an endpoint in pieces. */
export const deleteDeliveries = (db: Queryable, orgId: string, id: string, atOnce = CHANGED_AT_ONCE): Promise<void> =>
  inPieces(db, orgId, id, atOnce, { chosen: sql`true`, change: sql`DELETE FROM event_delivery d USING piece` });

/** Each piece begins after the previous one, so that it does not read the entries that were changed before. */
async function inPieces(
  db: Queryable,
  orgId: string,
  id: string,
  atOnce: number,
  { chosen, change }: { chosen: SQL; change: SQL },
): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const statement: SQL = sql`WITH piece AS (
        SELECT d.org_id, d.event_id, d.endpoint_id FROM event_delivery d
        WHERE d.endpoint_id = ${id} AND ${sql.raw(checkedOnly('d.org_id'))} = ${orgId} AND d.event_id > ${after}
          AND ${chosen}
        ORDER BY d.event_id LIMIT ${atOnce} FOR UPDATE OF d
      ), changed AS (
        ${change} WHERE d.org_id = piece.org_id AND d.event_id = piece.event_id AND d.endpoint_id = piece.endpoint_id
      )
      SELECT CASE WHEN count(*) = ${atOnce} THEN max(event_id) END AS last FROM piece`;
    const { rows } = await db.execute<{ last: string | null }>(statement);
    after = rows[0]!.last;
  }
}

/** Deletes the endpoint with the deliveries that remain. */
export async function deleteWebhook(tx: Queryable, orgId: string, id: string): Promise<void> {
  await tx.delete(webhookEndpoint).where(one(orgId, id));
}
