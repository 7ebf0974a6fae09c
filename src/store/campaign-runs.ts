import { sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';

/**
 * What has left the queue of recipients and not yet been said: runs that wait for their first turn, and first messages
 * that wait to be sent. A pause holds them where they are. A turn under way loses its lease, so it can no longer be
 * stored; a message that a provider is being called for at this moment goes out, since nobody can tell whether it did.
 */
const unsaidRuns = (orgId: string, campaignId: string) => sql`
  FROM recipient r WHERE r.org_id = ${orgId} AND r.campaign_id = ${campaignId} AND r.status = 'sending'
    AND run.org_id = r.org_id AND run.id = r.run_id AND run.turns = 0`;

const unsentMessages = (orgId: string, campaignId: string) => sql`
  FROM recipient r WHERE r.org_id = ${orgId} AND r.campaign_id = ${campaignId} AND r.status = 'sending'
    AND m.org_id = r.org_id AND m.conversation_id = r.conversation_id AND m.run_id = r.run_id
    AND m.role = 'agent' AND m.status = 'queued' AND m.lease IS NULL`;

export async function holdCampaignRuns(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.execute(sql`UPDATE run SET due_at = NULL, lease = NULL, status = 'queued'
    ${unsaidRuns(orgId, campaignId)} AND run.status IN ('queued', 'running')`);
  await tx.execute(
    sql`UPDATE message m SET due_at = NULL ${unsentMessages(orgId, campaignId)} AND m.due_at IS NOT NULL`,
  );
}

export async function letCampaignRunsGo(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.execute(sql`UPDATE run SET due_at = now()
    ${unsaidRuns(orgId, campaignId)} AND run.status = 'queued' AND run.due_at IS NULL`);
  await tx.execute(sql`UPDATE message m SET due_at = now() ${unsentMessages(orgId, campaignId)} AND m.due_at IS NULL`);
}

/** An ended or deleted campaign says nothing more; its recipients that were never begun expire (`expire-recipients`). */
export async function cancelCampaignRuns(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.execute(sql`UPDATE message m SET due_at = NULL, status = 'suppressed', error = '{"code":"campaign_ended","detail":"The campaign ended before this was sent."}'
    ${unsentMessages(orgId, campaignId)}`);
  await tx.execute(sql`UPDATE run SET due_at = NULL, lease = NULL, status = 'cancelled', reason = 'campaign_ended', finished_at = now()
    ${unsaidRuns(orgId, campaignId)} AND run.status IN ('queued', 'running')`);
}

/** First words that wait to be sent to one recipient are not sent any more. */
export async function dropUnsent(
  tx: Queryable,
  orgId: string,
  { conversationId, runId }: { conversationId: string; runId: string },
): Promise<void> {
  await tx.execute(sql`UPDATE message SET due_at = NULL, status = 'suppressed',
      error = '{"code":"cancelled","detail":"The recipient was cancelled before this was sent."}'
    WHERE org_id = ${orgId} AND conversation_id = ${conversationId} AND run_id = ${runId}
      AND role = 'agent' AND status = 'queued' AND lease IS NULL`);
}
