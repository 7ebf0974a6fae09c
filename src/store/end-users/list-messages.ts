import { and, desc, eq, lt, ne, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import type { MessageRow } from '../runs/read.ts';
import { message } from '../schema/conversation.ts';

/**
 * The messages of one conversation, newest first. `onlySaid`: without internal messages and messages that are scheduled
 * for later.
 */
export async function listMessages(
  db: Queryable,
  orgId: string,
  conversationId: string,
  { limit, after }: PageRequest,
  onlySaid = false,
): Promise<PageOf<MessageRow>> {
  const rows = await db
    .select()
    .from(message)
    .where(
      and(
        eq(message.orgId, orgId),
        eq(message.conversationId, conversationId),
        after ? lt(message.id, after.id) : undefined,
        onlySaid ? and(ne(message.role, 'system'), sql`coalesce(${message.sendAt} <= now(), true)`) : undefined,
      ),
    )
    .orderBy(desc(message.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}
