import { and, asc, eq, isNull, or, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { conversationView } from '../schema/conversation-view.ts';

export type ConversationViewRow = typeof conversationView.$inferSelect;

const visible = (orgId: string, userId: string) =>
  and(eq(conversationView.orgId, orgId), or(eq(conversationView.userId, userId), isNull(conversationView.userId)));

/** Lists the member's own views and the shared views, by name. */
export const listViews = (db: Queryable, orgId: string, userId: string): Promise<ConversationViewRow[]> =>
  db
    .select()
    .from(conversationView)
    .where(visible(orgId, userId))
    .orderBy(asc(sql`lower(${conversationView.name})`), asc(conversationView.id));

export async function insertView(
  tx: Queryable,
  orgId: string,
  row: Pick<ConversationViewRow, 'id' | 'userId' | 'name' | 'filters'>,
): Promise<ConversationViewRow> {
  const [made] = await tx
    .insert(conversationView)
    .values({ orgId, ...row })
    .returning();
  return made!;
}

/** Null: there is no view with this ID that the member may see. */
export async function deleteView(
  tx: Queryable,
  orgId: string,
  userId: string,
  id: string,
): Promise<ConversationViewRow | null> {
  const [gone] = await tx
    .delete(conversationView)
    .where(and(visible(orgId, userId), eq(conversationView.id, id)))
    .returning();
  return gone ?? null;
}

export async function forgetViewsOf(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.delete(conversationView).where(and(eq(conversationView.orgId, orgId), eq(conversationView.userId, userId)));
}
