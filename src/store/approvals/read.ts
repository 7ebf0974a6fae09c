import { and, desc, eq, sql } from 'drizzle-orm';
import type { ApprovalRecord } from '../../../contract/approvals.ts';
import { MAX_COUNTED } from '../../../contract/dashboard/conversations.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { approval } from '../schema/approval.ts';
import { conversation } from '../schema/conversation.ts';
import { endUser } from '../schema/end-user.ts';

export type ApprovalRow = typeof approval.$inferSelect;
export type NamedApprovalRow = ApprovalRow & { endUserId: string; endUserName: string | null };

export type ApprovalFilter = {
  status?: ApprovalRecord['status'] | undefined;
  /** Null: all agents. */
  agentId?: string | null | undefined;
};

export async function findApproval(db: Queryable, orgId: string, id: string): Promise<ApprovalRow | null> {
  const [row] = await db
    .select()
    .from(approval)
    .where(and(eq(approval.orgId, orgId), eq(approval.id, id)));
  return row ?? null;
}

/** Lists approvals, newest first, with the person of the conversation. */
export async function listApprovalRows(
  db: Queryable,
  orgId: string,
  { status, agentId }: ApprovalFilter,
  page: PageRequest,
): Promise<PageOf<NamedApprovalRow>> {
  const rows = await db
    .select({ approval, endUserId: endUser.id, endUserName: endUser.name })
    .from(approval)
    .innerJoin(conversation, and(eq(conversation.orgId, approval.orgId), eq(conversation.id, approval.conversationId)))
    .innerJoin(endUser, and(eq(endUser.orgId, conversation.orgId), eq(endUser.id, conversation.endUserId)))
    .where(
      and(
        eq(approval.orgId, orgId),
        status && sql`${approval.status} = ${sql.raw(`'${status}'`)}`,
        agentId ? eq(approval.agentId, agentId) : undefined,
        behind(approval.createdAt, approval.id, page.after),
      ),
    )
    .orderBy(...newestFirst(approval.createdAt, approval.id))
    .limit(page.limit + 1);
  const { rows: found, hasMore } = pageOf(rows, page.limit);
  return { rows: found.map(({ approval: row, ...person }) => ({ ...row, ...person })), hasMore };
}

/** The approvals of a conversation, newest first. */
export const listApprovalsOf = (
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
): Promise<ApprovalRow[]> =>
  db
    .select()
    .from(approval)
    .where(and(eq(approval.conversationId, conversationId), eq(approval.orgId, orgId)))
    .orderBy(desc(approval.createdAt), desc(approval.id))
    .limit(limit);

/** The number of pending approvals, and the newest one. */
export async function countPending(
  db: Queryable,
  orgId: string,
): Promise<{ count: number; newest: { id: string; conversation_id: string; created_at: Date } | null }> {
  const { rows } = await db.execute<{ id: string; conversation_id: string; created_at: string }>(sql`
    SELECT id, conversation_id, created_at FROM approval WHERE org_id = ${orgId} AND status = 'pending'
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_COUNTED}`);
  const [first] = rows;
  return { count: rows.length, newest: first ? { ...first, created_at: new Date(first.created_at) } : null };
}
