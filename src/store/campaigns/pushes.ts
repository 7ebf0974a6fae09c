import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { apiKey } from '../schema/api-key.ts';
import { campaign } from '../schema/campaign.ts';
import { campaignPush } from '../schema/campaign-push.ts';
import { user } from '../schema/identity.ts';

/** The displayed fields of a push: without the file and the values of filters. */
export type PushRow = Omit<typeof campaignPush.$inferSelect, 'file' | 'filter' | 'after' | 'lease' | 'requestId'> & {
  isHeld: boolean;
  startedBy: string | null;
};

type NewPush = Pick<
  typeof campaignPush.$inferInsert,
  'campaignId' | 'id' | 'source' | 'filterNames' | 'filter' | 'file' | 'total' | 'createdBy' | 'requestId'
>;

/** Returns false while another push of the campaign is unfinished. */
export async function insertPush(tx: Queryable, orgId: string, row: NewPush): Promise<boolean> {
  const made = await tx
    .insert(campaignPush)
    .values({ orgId, ...row, dueAt: sql`now()` })
    .onConflictDoNothing()
    .returning({ id: campaignPush.id });
  return made.length > 0;
}

const { file: _, filter: __, after: ___, lease: ____, requestId: _____, ...SHOWN } = getTableColumns(campaignPush);

const shown = (db: Queryable) =>
  db
    .select({
      ...SHOWN,
      isHeld: sql<boolean>`${campaignPush.dueAt} IS NOT NULL AND ${campaign.state} = 'paused'`,
      startedBy: sql<string | null>`coalesce(${user.name}, ${apiKey.label})`,
    })
    .from(campaignPush)
    .innerJoin(campaign, and(eq(campaign.orgId, campaignPush.orgId), eq(campaign.id, campaignPush.campaignId)))
    .leftJoin(user, eq(user.id, campaignPush.createdBy))
    .leftJoin(apiKey, and(eq(apiKey.orgId, campaignPush.orgId), eq(apiKey.id, campaignPush.createdBy)));

const ofCampaign = (orgId: string, campaignId: string) =>
  and(eq(campaignPush.orgId, orgId), eq(campaignPush.campaignId, campaignId));

export async function readPush(db: Queryable, orgId: string, campaignId: string, id: string): Promise<PushRow | null> {
  const [found] = await shown(db).where(and(ofCampaign(orgId, campaignId), eq(campaignPush.id, id)));
  return found ?? null;
}

/** Newest first by ID, which contains the time of creation. */
export async function listPushes(
  db: Queryable,
  orgId: string,
  campaignId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<PushRow>> {
  const rows = await shown(db)
    .where(and(ofCampaign(orgId, campaignId), after ? lt(campaignPush.id, after.id) : undefined))
    .orderBy(desc(campaignPush.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** The ID of the campaign's unfinished push. */
export async function openPush(db: Queryable, orgId: string, campaignId: string): Promise<string | null> {
  const [found] = await db
    .select({ id: campaignPush.id })
    .from(campaignPush)
    .where(and(ofCampaign(orgId, campaignId), sql`${campaignPush.dueAt} IS NOT NULL`));
  return found?.id ?? null;
}

export async function countOpenPushes(db: Queryable, orgId: string): Promise<number> {
  const found = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM campaign_push
    WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
  return found.rows[0]!.n;
}

/** Deletes finished pushes of a campaign beyond the newest `kept`. */
export async function forgetPushes(tx: Queryable, orgId: string, campaignId: string, kept: number): Promise<void> {
  await tx.execute(sql`DELETE FROM campaign_push WHERE org_id = ${orgId} AND campaign_id = ${campaignId}
    AND due_at IS NULL AND id <= (SELECT id FROM campaign_push WHERE org_id = ${orgId}
      AND campaign_id = ${campaignId} AND due_at IS NULL ORDER BY id DESC OFFSET ${kept} LIMIT 1)`);
}

/** Stops a push at its current position. People who were added stay. Returns false if it has already ended. */
export async function cancelPush(tx: Queryable, orgId: string, campaignId: string, id: string): Promise<boolean> {
  const cancelled = await tx
    .update(campaignPush)
    .set({
      state: 'cancelled',
      dueAt: null,
      lease: null,
      file: null,
      filter: null,
      after: null,
      finishedAt: sql`now()`,
    })
    .where(and(ofCampaign(orgId, campaignId), eq(campaignPush.id, id), sql`${campaignPush.dueAt} IS NOT NULL`))
    .returning({ id: campaignPush.id });
  return cancelled.length > 0;
}
