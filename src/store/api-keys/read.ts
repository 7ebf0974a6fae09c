import { type SQL, and, eq, getTableColumns, ilike, or, sql } from 'drizzle-orm';
import type { KeyScope, Permission, Plan } from '../../../contract/permissions.ts';
import type { Queryable } from '../db.ts';
import { type PageOf, type PageRequest, behind, newestFirst, pageOf } from '../page.ts';
import { agent } from '../schema/agent.ts';
import { apiKey, apiKeyUse } from '../schema/api-key.ts';
import { campaign } from '../schema/campaign.ts';
import { organization } from '../schema/identity.ts';
import { REMAINING, withUse } from './total.ts';

/** A key with the names of the records to which it is bound, even if they were deleted. */
export type ApiKeyRow = typeof apiKey.$inferSelect & {
  agentName: string | null;
  campaignName: string | null;
  remaining: number | null;
};

/** The facts that decide whether a key may be created: the plan, and whether the bound records exist. */
export async function readKeyConditions(
  tx: Queryable,
  orgId: string,
  targets: { agentId: string | null; campaignId: string | null },
): Promise<{ plan: Plan; hasAgent: boolean; hasCampaign: boolean } | null> {
  const [row] = await tx
    .select({
      plan: sql<Plan>`${organization.plan}`,
      hasAgent: sql<boolean>`EXISTS (SELECT 1 FROM ${agent} a
        WHERE a.org_id = ${orgId} AND a.id = ${targets.agentId} AND a.deleted_at IS NULL)`,
      hasCampaign: sql<boolean>`EXISTS (SELECT 1 FROM ${campaign} c
        WHERE c.org_id = ${orgId} AND c.id = ${targets.campaignId} AND c.deleted_at IS NULL)`,
    })
    .from(organization)
    .where(eq(organization.id, orgId));
  return row ?? null;
}

type ApiKeyFilter = {
  /** Part of the label of a key, or the beginning of its displayed prefix. */
  text?: string | undefined;
  scope?: KeyScope | undefined;
  permission?: Permission | undefined;
  state?: 'active' | 'revoked' | undefined;
  agentId?: string | undefined;
  campaignId?: string | undefined;
};

export async function readApiKey(db: Queryable, orgId: string, id: string): Promise<ApiKeyRow | null> {
  const rows = await selectKeys(db, and(eq(apiKey.orgId, orgId), eq(apiKey.id, id)));
  return rows[0] ?? null;
}

export async function listApiKeys(
  db: Queryable,
  orgId: string,
  filter: ApiKeyFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<ApiKeyRow>> {
  const text = filter.text?.replace(/[\\%_]/g, '\\$&');
  const rows = await selectKeys(
    db,
    and(
      eq(apiKey.orgId, orgId),
      text === undefined ? undefined : or(ilike(apiKey.label, `%${text}%`), ilike(apiKey.prefix, `${text}%`)),
      filter.scope === undefined ? undefined : eq(apiKey.scope, filter.scope),
      filter.permission === undefined ? undefined : sql`${filter.permission} = ANY (${apiKey.permissions})`,
      filter.agentId === undefined ? undefined : eq(apiKey.agentId, filter.agentId),
      filter.campaignId === undefined ? undefined : eq(apiKey.campaignId, filter.campaignId),
      filter.state === undefined ? undefined : filter.state === 'active' ? isActive : sql`NOT ${isActive}`,
      behind(apiKey.createdAt, apiKey.id, after),
    ),
  )
    .orderBy(...newestFirst(apiKey.createdAt, apiKey.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export const isActive = sql`(revoked_at IS NULL AND (revoke_at IS NULL OR revoke_at > now()))`;

export const oneKey = (orgId: string, id: string) => and(eq(apiKey.orgId, orgId), eq(apiKey.id, id));

const selectKeys = (db: Queryable, where: SQL | undefined) =>
  db
    .select({
      ...getTableColumns(apiKey),
      agentName: agent.name,
      campaignName: campaign.name,
      remaining: REMAINING,
    })
    .from(apiKey)
    .leftJoin(apiKeyUse, withUse)
    .leftJoin(agent, and(eq(agent.orgId, apiKey.orgId), eq(agent.id, apiKey.agentId)))
    .leftJoin(campaign, and(eq(campaign.orgId, apiKey.orgId), eq(campaign.id, apiKey.campaignId)))
    .where(where);
