import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import { eventDelivery, webhookEndpoint } from './schema/event.ts';

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

/** Cancels the waiting deliveries of a disabled endpoint. A member can send cancelled deliveries again. */
export async function cancelPending(tx: Queryable, orgId: string, id: string): Promise<void> {
  await tx
    .update(eventDelivery)
    .set({ state: 'cancelled', dueAt: null, lease: null, updatedAt: sql`statement_timestamp()` })
    .where(
      and(eq(eventDelivery.orgId, orgId), eq(eventDelivery.endpointId, id), sql`${eventDelivery.dueAt} IS NOT NULL`),
    );
}

/** Deletes the endpoint with its delivery log. */
export async function deleteWebhook(tx: Queryable, orgId: string, id: string): Promise<void> {
  await tx.delete(eventDelivery).where(and(eq(eventDelivery.endpointId, id), eq(eventDelivery.orgId, orgId)));
  await tx.delete(webhookEndpoint).where(one(orgId, id));
}
