import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { NOW } from '../schema/columns.ts';

/**
 * Hand-offs that no rule has processed yet. A database trigger adds the hand-off in the transaction that changes the
 * conversation, if the organization has rules and no member has the conversation.
 */
export type DueHandOff = { orgId: string; conversationId: string; at: Date };

/**
 * The oldest hand-offs of all organizations. The function does not claim the hand-offs. The write of the result shows
 * which worker was first.
 */
export async function findDueHandOffs(db: Queryable, limit: number): Promise<DueHandOff[]> {
  const { rows } = await db.execute<{ org_id: string; conversation_id: string; at: Date | string }>(sql`
    SELECT org_id, conversation_id, at FROM hand_off WHERE due_at <= ${sql.raw(NOW)} ORDER BY due_at LIMIT ${limit}`);
  return rows.map(({ org_id, conversation_id, at }) => ({
    orgId: org_id,
    conversationId: conversation_id,
    at: new Date(at),
  }));
}

const one = ({ orgId, conversationId, at }: DueHandOff) =>
  sql`org_id = ${orgId} AND at = ${at} AND conversation_id = ${conversationId} AND due_at IS NOT NULL`;

/** Returns false if another worker was first. */
export async function finishHandOff(tx: Queryable, due: DueHandOff): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`UPDATE hand_off SET due_at = NULL WHERE ${one(due)}`);
  return rowCount === 1;
}

export async function delayHandOff(db: Queryable, due: DueHandOff, seconds: number): Promise<void> {
  await db.execute(sql`UPDATE hand_off SET due_at = now() + ${seconds}::int * interval '1 second' WHERE ${one(due)}`);
}
