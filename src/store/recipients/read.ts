import { and, desc, eq, lt, sql } from 'drizzle-orm';
import {
  type CampaignSettings,
  RECIPIENT_STATUSES,
  type RecipientCounts,
  type RecipientStatus,
} from '../../../contract/campaigns.ts';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { recipient } from '../schema/campaign.ts';

export type RecipientRow = typeof recipient.$inferSelect;

const ofCampaign = (orgId: string, campaignId: string) =>
  and(eq(recipient.orgId, orgId), eq(recipient.campaignId, campaignId));

export async function readRecipient(
  db: Queryable,
  orgId: string,
  campaignId: string,
  id: string,
): Promise<RecipientRow | null> {
  const rows = await db
    .select()
    .from(recipient)
    .where(and(ofCampaign(orgId, campaignId), eq(recipient.id, id)));
  return rows[0] ?? null;
}

/** Lists recipients, newest first by ID, which contains the time of creation. */
export async function listRecipients(
  db: Queryable,
  orgId: string,
  campaignId: string,
  filter: { status?: string | undefined; ref?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<RecipientRow>> {
  const rows = await db
    .select()
    .from(recipient)
    .where(
      and(
        ofCampaign(orgId, campaignId),
        filter.status === undefined ? undefined : eq(recipient.status, filter.status),
        filter.ref === undefined ? undefined : eq(recipient.ref, filter.ref),
        after ? lt(recipient.id, after.id) : undefined,
      ),
    )
    .orderBy(desc(recipient.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** The number of recipients in each status. The count uses only the index of the statuses. */
export async function countRecipients(
  db: Queryable,
  orgId: string,
  campaignId: string,
): Promise<{ counts: RecipientCounts; total: number }> {
  const rows = await db
    .select({ status: recipient.status, n: sql<number>`count(*)::int` })
    .from(recipient)
    .where(ofCampaign(orgId, campaignId))
    .groupBy(recipient.status);
  const counts = Object.fromEntries(RECIPIENT_STATUSES.map((status) => [status, 0])) as RecipientCounts;
  for (const { status, n } of rows) counts[status as RecipientStatus] = n;
  return { counts, total: rows.reduce((sum, { n }) => sum + n, 0) };
}

/** Removes a recipient that has not started from the queue. Returns false if the recipient has started. */
export async function cancelWaiting(db: Queryable, orgId: string, campaignId: string, id: string): Promise<boolean> {
  const rows = await db
    .update(recipient)
    .set({ status: 'cancelled', reason: 'cancelled', dueAt: null, updatedAt: sql`statement_timestamp()` })
    .where(
      and(
        ofCampaign(orgId, campaignId),
        eq(recipient.id, id),
        sql`${recipient.status} IN ('pending', 'waiting_window')`,
      ),
    )
    .returning({ id: recipient.id });
  return rows.length > 0;
}

/**
 * This function is called after a change of a campaign's settings. The worker examines waiting recipients again and
 * gives them a new time according to the new settings. One call processes at most `limit` recipients whose IDs follow
 * `after`. Returns the last processed ID, or null if no recipients remain.
 */
export async function planWaitingAgain(
  db: Queryable,
  orgId: string,
  campaignId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  const moved = await db.execute<{ id: string }>(sql`UPDATE recipient r SET due_at = w.due_at
    FROM (SELECT q.org_id, q.campaign_id, q.id, m.due_at
      FROM campaign c JOIN recipient q ON q.org_id = c.org_id AND q.campaign_id = c.id
        -- In this form no index of due rows is read, which would sort all of them for each page.
        AND coalesce(q.due_at, '-infinity') > now()
      CROSS JOIN LATERAL (
        SELECT greatest(q.send_at, (c.settings ->> 'starts_at')::timestamptz, q.created_at)) AS m(due_at)
      WHERE c.org_id = ${orgId} AND c.id = ${campaignId} AND q.id > ${after} AND q.due_at IS DISTINCT FROM m.due_at
      ORDER BY q.id LIMIT ${limit} FOR NO KEY UPDATE OF q SKIP LOCKED) AS w
    WHERE r.org_id = w.org_id AND r.campaign_id = w.campaign_id AND r.id = w.id RETURNING r.id`);
  const ids = moved.rows.map(({ id }) => id);
  return ids.length < limit ? null : ids.toSorted().at(-1)!;
}

/**
 * The allowed hours of a message if it is the first message to a recipient and was not sent yet, and null for other
 * messages.
 */
export async function readHoursOfFirstMessage(
  db: Queryable,
  orgId: string,
  first: { runId: string } | { messageId: string },
): Promise<{ settings: CampaignSettings; timeZone: string | null } | null> {
  const runId =
    'runId' in first
      ? sql`${first.runId}`
      : sql`(SELECT run_id FROM message WHERE org_id = ${orgId} AND id = ${first.messageId})`;
  const { rows } = await db.execute<{ settings: CampaignSettings; time_zone: string | null }>(sql`
    SELECT c.settings, e.time_zone FROM recipient r
    JOIN campaign c ON c.org_id = r.org_id AND c.id = r.campaign_id
    JOIN end_user e ON e.org_id = r.org_id AND e.id = r.end_user_id
    WHERE r.org_id = ${orgId} AND r.run_id = ${runId} AND r.status = 'sending'`);
  const [row] = rows;
  return row ? { settings: row.settings, timeZone: row.time_zone } : null;
}
