import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { checkedOnly } from '../queue/join-by-key.ts';

export type ChangeRow = {
  id: string;
  actor: string;
  action: string;
  facts: Record<string, unknown>;
  created_at: Date | string;
};

/**
 * The actions of members and rules in a conversation, newest first. PostgreSQL uses the index only if the query repeats
 * the index's condition exactly.
 */
export async function listChanges(
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
): Promise<ChangeRow[]> {
  const { rows } = await db.execute<ChangeRow>(sql`SELECT id, actor, action, facts, created_at FROM audit
    WHERE subject_id = ${conversationId} AND ${sql.raw(checkedOnly('org_id'))} = ${orgId}
      AND action LIKE 'conversation.%'
    ORDER BY id DESC LIMIT ${limit}`);
  return rows;
}
