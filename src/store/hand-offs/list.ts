import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { checkedOnly } from '../queue/join-by-key.ts';

/** The times of the agent's newest hand-offs, newest first. The audit log has the take-overs of members. */
export async function listHandOffs(
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
): Promise<Date[]> {
  const { rows } = await db.execute<{ at: Date | string }>(sql`SELECT at FROM hand_off
    WHERE conversation_id = ${conversationId} AND ${sql.raw(checkedOnly('org_id'))} = ${orgId} AND reason <> 'member'
    ORDER BY at DESC LIMIT ${limit}`);
  return rows.map(({ at }) => new Date(at));
}
