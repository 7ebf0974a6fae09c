import { and, count, eq, ilike, isNull, sql } from 'drizzle-orm';
import type { ToolChange } from '../../../contract/dashboard/agents.ts';
import type { Queryable } from '../db.ts';
import { type PageOf, type PageRequest, behind, newestFirst, pageOf } from '../page.ts';
import { containing } from '../search-text.ts';
import { agent } from '../schema/agent.ts';
import { changedTools } from './mcp-changes.ts';

export type AgentRow = typeof agent.$inferSelect & {
  sandboxChannelId: string | null;
  newestVersion: number;
  changedTools: { tool: string; what: ToolChange['what']; since: string }[];
};
export const living = (orgId: string, id: string) =>
  and(eq(agent.orgId, orgId), eq(agent.id, id), isNull(agent.deletedAt));

/** The oldest sandbox channel, as in the access directory. */
const sandboxChannelId = sql<string | null>`(SELECT c.id FROM channel c WHERE c.org_id = agent.org_id
  AND c.agent_id = agent.id AND c.kind = 'sandbox' AND c.deleted_at IS NULL ORDER BY c.id LIMIT 1)`;

const newestVersion = sql<number>`greatest(agent.version, (SELECT max(v.version) FROM agent_version v
  WHERE v.org_id = agent.org_id AND v.agent_id = agent.id))`;

const columns = {
  orgId: agent.orgId,
  id: agent.id,
  name: agent.name,
  enabled: agent.enabled,
  draft: agent.draft,
  published: agent.published,
  version: agent.version,
  revision: agent.revision,
  createdAt: agent.createdAt,
  updatedAt: agent.updatedAt,
  deletedAt: agent.deletedAt,
  sandboxChannelId,
  newestVersion,
  changedTools,
};

export async function countAgents(db: Queryable, orgId: string): Promise<number> {
  const rows = await db
    .select({ many: count() })
    .from(agent)
    .where(and(eq(agent.orgId, orgId), isNull(agent.deletedAt)));
  return rows[0]!.many;
}

export async function readAgent(db: Queryable, orgId: string, id: string): Promise<AgentRow | null> {
  const rows = await db.select(columns).from(agent).where(living(orgId, id));
  return rows[0] ?? null;
}

/**
 * Locks the agent until the transaction ends, and reads it. The second statement also sees the versions that a
 * transaction stored while the first statement waited for it.
 */
export async function lockAgent(db: Queryable, orgId: string, id: string): Promise<AgentRow | null> {
  await db.select({ id: agent.id }).from(agent).where(living(orgId, id)).for('no key update');
  return readAgent(db, orgId, id);
}

export async function listAgents(
  db: Queryable,
  orgId: string,
  filter: { text?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<AgentRow>> {
  const rows = await db
    .select(columns)
    .from(agent)
    .where(
      and(
        eq(agent.orgId, orgId),
        isNull(agent.deletedAt),
        filter.text ? ilike(agent.name, containing(filter.text)) : undefined,
        behind(agent.createdAt, agent.id, after),
      ),
    )
    .orderBy(...newestFirst(agent.createdAt, agent.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}
