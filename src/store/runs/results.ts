import { and, desc, eq, lt } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf } from '../page.ts';
import { recipient } from '../schema/campaign.ts';
import { NOW } from '../schema/columns.ts';
import { conversation } from '../schema/conversation.ts';
import { run } from '../schema/run.ts';
import { RUN_COLUMNS, type RunRow, WITH_CONVERSATION } from './read.ts';

/**
 * Announces results that have not changed for a second. A trigger writes the event with the current result (migration
 * 0006). Returns the number of results. If another statement has locked a run, the event of this run follows later.
 */
export async function announceResults(pool: pg.Pool, limit: number): Promise<number> {
  const announced = await pool.query({
    name: 'announce-results',
    text: `UPDATE run r SET result_event_at = NULL FROM (
        SELECT org_id, id FROM run WHERE result_event_at <= ${NOW}
        ORDER BY result_event_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
      ) due WHERE r.org_id = due.org_id AND r.id = due.id`,
    values: [limit],
  });
  return announced.rowCount ?? 0;
}

export type ResultRow = RunRow & { recipientId: string | null; ref: string | null };

/** The runs that a campaign began, in the order of the newest recipient. `after`: the ID of a recipient. */
export async function listCampaignRunRows(
  db: Queryable,
  orgId: string,
  campaignId: string,
  { limit, after }: { limit: number; after: { id: string } | null },
): Promise<PageOf<ResultRow>> {
  const rows = await db
    .select({ ...RUN_COLUMNS, recipientId: recipient.id, ref: recipient.ref })
    .from(recipient)
    .innerJoin(run, and(eq(run.orgId, recipient.orgId), eq(run.id, recipient.runId)))
    .innerJoin(conversation, WITH_CONVERSATION)
    .where(
      and(
        eq(recipient.orgId, orgId),
        eq(recipient.campaignId, campaignId),
        after ? lt(recipient.id, after.id) : undefined,
      ),
    )
    .orderBy(desc(recipient.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}
