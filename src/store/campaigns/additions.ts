import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { apiKey } from '../schema/api-key.ts';
import { campaign } from '../schema/campaign.ts';
import { campaignAddition } from '../schema/campaign-addition.ts';
import { user } from '../schema/identity.ts';

/** The displayed fields of an addition: without the file and the values of filters. */
export type AdditionRow = Omit<
  typeof campaignAddition.$inferSelect,
  'file' | 'filter' | 'after' | 'lease' | 'requestId'
> & {
  isHeld: boolean;
  startedBy: string | null;
};

type NewAddition = Pick<
  typeof campaignAddition.$inferInsert,
  'campaignId' | 'id' | 'source' | 'filterNames' | 'filter' | 'file' | 'total' | 'createdBy' | 'requestId'
>;

/** Returns false while another addition of the campaign is unfinished. */
export async function insertAddition(tx: Queryable, orgId: string, row: NewAddition): Promise<boolean> {
  const made = await tx
    .insert(campaignAddition)
    .values({ orgId, ...row, dueAt: sql`now()` })
    .onConflictDoNothing()
    .returning({ id: campaignAddition.id });
  return made.length > 0;
}

const { file: _, filter: __, after: ___, lease: ____, requestId: _____, ...SHOWN } = getTableColumns(campaignAddition);

const shown = (db: Queryable) =>
  db
    .select({
      ...SHOWN,
      isHeld: sql<boolean>`${campaignAddition.dueAt} IS NOT NULL AND ${campaign.state} = 'paused'`,
      startedBy: sql<string | null>`coalesce(${user.name}, ${apiKey.label})`,
    })
    .from(campaignAddition)
    .innerJoin(campaign, and(eq(campaign.orgId, campaignAddition.orgId), eq(campaign.id, campaignAddition.campaignId)))
    .leftJoin(user, eq(user.id, campaignAddition.createdBy))
    .leftJoin(apiKey, and(eq(apiKey.orgId, campaignAddition.orgId), eq(apiKey.id, campaignAddition.createdBy)));

const ofCampaign = (orgId: string, campaignId: string) =>
  and(eq(campaignAddition.orgId, orgId), eq(campaignAddition.campaignId, campaignId));

export async function readAddition(
  db: Queryable,
  orgId: string,
  campaignId: string,
  id: string,
): Promise<AdditionRow | null> {
  const [found] = await shown(db).where(and(ofCampaign(orgId, campaignId), eq(campaignAddition.id, id)));
  return found ?? null;
}

/** Lists additions, newest first by ID, which contains the time of creation. */
export async function listAdditions(
  db: Queryable,
  orgId: string,
  campaignId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<AdditionRow>> {
  const rows = await shown(db)
    .where(and(ofCampaign(orgId, campaignId), after ? lt(campaignAddition.id, after.id) : undefined))
    .orderBy(desc(campaignAddition.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** The ID of the campaign's unfinished addition. */
export async function readOpenAdditionId(db: Queryable, orgId: string, campaignId: string): Promise<string | null> {
  const [found] = await db
    .select({ id: campaignAddition.id })
    .from(campaignAddition)
    .where(and(ofCampaign(orgId, campaignId), sql`${campaignAddition.dueAt} IS NOT NULL`));
  return found?.id ?? null;
}

export async function countOpenAdditions(db: Queryable, orgId: string): Promise<number> {
  const found = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM campaign_push
    WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
  return found.rows[0]!.n;
}

/** Deletes finished additions of a campaign beyond the newest `kept`. */
export async function deleteOldAdditions(
  tx: Queryable,
  orgId: string,
  campaignId: string,
  most: number,
): Promise<void> {
  await tx.execute(sql`DELETE FROM campaign_push WHERE org_id = ${orgId} AND campaign_id = ${campaignId}
    AND due_at IS NULL AND id <= (SELECT id FROM campaign_push WHERE org_id = ${orgId}
      AND campaign_id = ${campaignId} AND due_at IS NULL ORDER BY id DESC OFFSET ${most} LIMIT 1)`);
}

/**
 * Stops an addition at its current position. People who were added stay. Returns false if the addition has already
 * ended.
 */
export async function cancelAddition(tx: Queryable, orgId: string, campaignId: string, id: string): Promise<boolean> {
  const cancelled = await tx
    .update(campaignAddition)
    .set({
      state: 'cancelled',
      dueAt: null,
      lease: null,
      file: null,
      filter: null,
      after: null,
      finishedAt: sql`now()`,
    })
    .where(and(ofCampaign(orgId, campaignId), eq(campaignAddition.id, id), sql`${campaignAddition.dueAt} IS NOT NULL`))
    .returning({ id: campaignAddition.id });
  return cancelled.length > 0;
}
