import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ToolChange } from '../../../contract/dashboard/agents.ts';
import type { Queryable } from '../db.ts';
import { mcpChange } from '../schema/mcp-change.ts';

/**
 * A tool of the published definition, and the differences to the current tool on its server. The value is empty if the
 * tool equals the approved tool.
 */
export type SeenTool = { tool: string; pin: string; what: ToolChange['what'] };

/**
 * Records the tools that a node has just read from a server. `since` does not change while the state of a tool stays
 * the same.
 */
export async function recordSeenTools(
  db: Queryable,
  orgId: string,
  agentId: string,
  seen: readonly SeenTool[],
): Promise<void> {
  const same = seen.filter(({ what }) => what.length === 0).map(({ tool }) => tool);
  const own = and(eq(mcpChange.orgId, orgId), eq(mcpChange.agentId, agentId));
  if (same.length > 0) await db.delete(mcpChange).where(and(own, inArray(mcpChange.tool, same)));
  // All nodes write in the same order, so that they never wait for each other in a circle.
  const changed = seen.filter(({ what }) => what.length > 0).toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
  if (changed.length === 0) return;
  await db
    .insert(mcpChange)
    .values(changed.map((one) => ({ orgId, agentId, ...one })))
    .onConflictDoUpdate({
      target: [mcpChange.orgId, mcpChange.agentId, mcpChange.tool],
      set: { pin: sql`excluded.pin`, what: sql`excluded.what`, since: sql`now()` },
      setWhere: sql`${mcpChange.pin} <> excluded.pin OR ${mcpChange.what} <> excluded.what`,
    });
}

export async function deleteSeenTools(db: Queryable, orgId: string, agentId: string): Promise<void> {
  await db.delete(mcpChange).where(and(eq(mcpChange.orgId, orgId), eq(mcpChange.agentId, agentId)));
}

/** A column for queries over `agent`: the tools of the published definition whose approved form no longer exists. */
export const changedTools = sql<{ tool: string; what: ToolChange['what']; since: string }[]>`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('tool', x.tool, 'what', x.what, 'since', x.since) ORDER BY x.tool), '[]')
  FROM mcp_change x WHERE x.org_id = agent.org_id AND x.agent_id = agent.id AND agent.published->'tools' @>
    jsonb_build_array(jsonb_build_object('name', x.tool, 'mcp', jsonb_build_object('pin', x.pin))))`;
