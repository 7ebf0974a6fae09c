import { and, eq, ilike, inArray, isNull, max, sql } from 'drizzle-orm';
import type { CampaignSettings, CampaignState } from '../../../contract/campaigns.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { containing } from '../search-text.ts';
import { campaign } from '../schema/campaign.ts';

export type CampaignRow = typeof campaign.$inferSelect;

const living = (orgId: string, id: string) =>
  and(eq(campaign.orgId, orgId), eq(campaign.id, id), isNull(campaign.deletedAt));

export async function insertCampaign(
  db: Queryable,
  orgId: string,
  input: Pick<CampaignRow, 'id' | 'agentId' | 'channelId' | 'name'> &
    Partial<Pick<CampaignRow, 'settings' | 'state' | 'attended' | 'roundOf' | 'roundDay'>>,
): Promise<CampaignRow> {
  const rows = await db
    .insert(campaign)
    .values({ orgId, ...input })
    .returning();
  return rows[0]!;
}

export async function readCampaign(db: Queryable, orgId: string, id: string): Promise<CampaignRow | null> {
  const rows = await db.select().from(campaign).where(living(orgId, id));
  return rows[0] ?? null;
}

export async function listCampaigns(
  db: Queryable,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined; roundOf?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<CampaignRow>> {
  const rows = await db
    .select()
    .from(campaign)
    .where(
      and(
        eq(campaign.orgId, orgId),
        isNull(campaign.deletedAt),
        filter.agentId ? eq(campaign.agentId, filter.agentId) : undefined,
        filter.roundOf ? eq(campaign.roundOf, filter.roundOf) : undefined,
        filter.text ? ilike(campaign.name, containing(filter.text)) : undefined,
        behind(campaign.createdAt, campaign.id, after),
      ),
    )
    .orderBy(...newestFirst(campaign.createdAt, campaign.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/**
 * The day of the newest campaign that the schedule started, as YYYY-MM-DD. Deleted campaigns count. Empty: the schedule
 * has started no campaign.
 */
export async function lastScheduledDay(db: Queryable, orgId: string, id: string): Promise<string> {
  const [row] = await db
    .select({ day: max(campaign.roundDay) })
    .from(campaign)
    .where(and(eq(campaign.orgId, orgId), eq(campaign.roundOf, id)));
  return row?.day ?? '';
}

export async function changeCampaign(
  db: Queryable,
  orgId: string,
  id: string,
  changes: Partial<Pick<CampaignRow, 'name' | 'deletedAt'>> & { settings?: CampaignSettings },
): Promise<CampaignRow | null> {
  const rows = await db
    .update(campaign)
    // The worker expires the recipients of a deleted campaign, also of a draft.
    .set({ ...changes, updatedAt: sql`now()`, ...(changes.deletedAt && { attended: true }) })
    .where(living(orgId, id))
    .returning();
  return rows[0] ?? null;
}

/** Null when the campaign's state does not allow the change. */
export async function moveCampaign(
  db: Queryable,
  orgId: string,
  id: string,
  from: readonly CampaignState[],
  to: CampaignState,
): Promise<CampaignRow | null> {
  const rows = await db
    .update(campaign)
    .set({ state: to, updatedAt: sql`now()`, ...(to !== 'paused' && { attended: true }) })
    .where(and(living(orgId, id), inArray(campaign.state, [...from])))
    .returning();
  return rows[0] ?? null;
}
