import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { ApprovalOutcome } from '../../engine/providers/stored-call.ts';
import type { Queryable } from '../db.ts';
import { approval } from '../schema/approval.ts';
import { conversation } from '../schema/conversation.ts';
import { run } from '../schema/run.ts';
import { storable } from '../../kernel/storable.ts';
import { type ApprovalRow, findApproval } from './read.ts';

/**
 * Locks an approval, its run and its conversation until the transaction ends, in the order in which turns lock them.
 * Null if the approval does not exist.
 */
export async function lockApproval(tx: Queryable, orgId: string, id: string): Promise<ApprovalRow | null> {
  const found = await findApproval(tx, orgId, id);
  if (!found) return null;
  await tx
    .select({ id: conversation.id })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, found.conversationId)))
    .for('no key update');
  // While the conversation is locked, the approval does not move to another run.
  const now = await findApproval(tx, orgId, id);
  if (!now) return null;
  await tx
    .select({ id: run.id })
    .from(run)
    .where(and(eq(run.orgId, orgId), eq(run.id, now.runId)))
    .for('no key update');
  await tx
    .select({ id: approval.id })
    .from(approval)
    .where(and(eq(approval.orgId, orgId), eq(approval.id, id)))
    .for('no key update');
  return findApproval(tx, orgId, id);
}

/**
 * Stores the decision and wakes the run. A turn in progress becomes outdated, because it does not know the decision.
 * The caller has locked the approval.
 */
export async function writeDecision(
  tx: Queryable,
  { orgId, id, runId, conversationId }: ApprovalRow,
  decision: { status: 'approved' | 'denied'; reason: string | null; decidedBy: string },
): Promise<void> {
  await tx
    .update(approval)
    .set({ ...decision, decidedAt: sql`statement_timestamp()` })
    .where(and(eq(approval.orgId, orgId), eq(approval.id, id)));
  await tx
    .update(conversation)
    .set({ version: sql`${conversation.version} + 1`, updatedAt: sql`statement_timestamp()` })
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, conversationId)));
  await tx
    .update(run)
    .set({ dueAt: sql`now()` })
    .where(and(eq(run.orgId, orgId), eq(run.id, runId), eq(run.status, 'waiting_for_approval'), isNull(run.lease)));
}

/** Stores what an approved call returned. The first stored outcome counts, and is returned. */
export async function storeOutcome(
  db: Queryable,
  orgId: string,
  id: string,
  outcome: ApprovalOutcome,
): Promise<ApprovalOutcome> {
  const [row] = await db
    .update(approval)
    .set({ outcome: sql`coalesce(${approval.outcome}, ${storable(outcome)}::jsonb)` })
    .where(and(eq(approval.orgId, orgId), eq(approval.id, id)))
    .returning({ outcome: approval.outcome });
  return row?.outcome ?? outcome;
}

/** The pending approvals of all organizations whose deadline has passed. */
export const findExpired = (db: Queryable, limit: number): Promise<{ orgId: string; id: string }[]> =>
  db
    .select({ orgId: approval.orgId, id: approval.id })
    .from(approval)
    .where(and(eq(approval.status, 'pending'), lte(approval.expiresAt, sql`now()`)))
    .orderBy(approval.expiresAt)
    .limit(limit);

/** Ends the runs that wait for an approval of a deleted agent, so that the database denies the approvals. */
export async function cancelWaitingRuns(tx: Queryable, orgId: string, agentId: string, reason: string): Promise<void> {
  await tx.execute(sql`UPDATE run SET status = 'cancelled', reason = ${reason}, due_at = NULL, lease = NULL,
      finished_at = statement_timestamp()
    WHERE org_id = ${orgId} AND status IN ('queued', 'running', 'waiting_for_approval') AND id IN (
      SELECT run_id FROM approval WHERE org_id = ${orgId} AND agent_id = ${agentId} AND answered_at IS NULL)`);
}
