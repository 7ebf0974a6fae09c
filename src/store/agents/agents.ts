import { and, asc, count, desc, eq, ilike, isNull, lt, ne, sql } from 'drizzle-orm';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { containing } from '../search-text.ts';
import { agent, agentVersion, document } from '../schema/agent.ts';
import { campaign } from '../schema/campaign.ts';
import { channel } from '../schema/channel.ts';
import { trigger } from '../schema/trigger.ts';

export type AgentRow = typeof agent.$inferSelect & { sandboxChannelId: string | null };
export type AgentVersionRow = typeof agentVersion.$inferSelect;

const living = (orgId: string, id: string) => and(eq(agent.orgId, orgId), eq(agent.id, id), isNull(agent.deletedAt));

/** The oldest one, as in the directory of access. */
const sandboxChannelId = sql<string | null>`(SELECT c.id FROM channel c WHERE c.org_id = agent.org_id
  AND c.agent_id = agent.id AND c.kind = 'sandbox' AND c.deleted_at IS NULL ORDER BY c.id LIMIT 1)`;

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
};

export async function insertAgent(
  db: Queryable,
  orgId: string,
  input: { id: string; name: string; definition: AgentDefinition; publishedBy: string | null },
): Promise<void> {
  const { id, name, definition, publishedBy } = input;
  await db.insert(agent).values({ orgId, id, name, draft: definition, published: definition });
  await db.insert(agentVersion).values({ orgId, agentId: id, version: 1, definition, publishedBy });
}

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

/** The same, and nobody else changes it until the transaction ends. */
export async function lockAgent(db: Queryable, orgId: string, id: string): Promise<AgentRow | null> {
  const rows = await db.select(columns).from(agent).where(living(orgId, id)).for('no key update', { of: agent });
  return rows[0] ?? null;
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

/** Each change makes a new revision, so that whoever holds the agent in memory reads it again. */
export async function changeAgent(
  db: Queryable,
  orgId: string,
  id: string,
  changes: Partial<Pick<AgentRow, 'name' | 'enabled' | 'draft' | 'deletedAt'>>,
): Promise<void> {
  await db
    .update(agent)
    .set({ ...changes, revision: sql`${agent.revision} + 1`, updatedAt: sql`now()` })
    .where(living(orgId, id));
}

/** Makes `definition` draft and answer at once; a version of its own when it differs from what answered before. */
export async function publishDefinition(
  db: Queryable,
  row: AgentRow,
  definition: AgentDefinition,
  publishedBy: string | null,
): Promise<number> {
  const { orgId, id } = row;
  if (sameDefinition(row.published, definition)) {
    await changeAgent(db, orgId, id, { draft: definition });
    return row.version;
  }
  const version = row.version + 1;
  await db
    .update(agent)
    .set({
      draft: definition,
      published: definition,
      version,
      revision: sql`${agent.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(living(orgId, id));
  await db.insert(agentVersion).values({ orgId, agentId: id, version, definition, publishedBy });
  return version;
}

/** Whether two definitions say the same, whatever the order of their members. */
export const sameDefinition = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export async function listAgentVersions(
  db: Queryable,
  orgId: string,
  agentId: string,
  { limit, before }: { limit: number; before: number | null },
): Promise<PageOf<AgentVersionRow>> {
  const rows = await db
    .select()
    .from(agentVersion)
    .where(
      and(
        eq(agentVersion.orgId, orgId),
        eq(agentVersion.agentId, agentId),
        before === null ? undefined : lt(agentVersion.version, before),
      ),
    )
    .orderBy(desc(agentVersion.version))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function readAgentVersion(
  db: Queryable,
  orgId: string,
  agentId: string,
  version: number,
): Promise<AgentVersionRow | null> {
  const rows = await db
    .select()
    .from(agentVersion)
    .where(and(eq(agentVersion.orgId, orgId), eq(agentVersion.agentId, agentId), eq(agentVersion.version, version)));
  return rows[0] ?? null;
}

/** What an agent takes with it when it is deleted; read before, so that access can be told of each. */
export async function listDependents(
  db: Queryable,
  orgId: string,
  agentId: string,
): Promise<{ triggers: string[]; channels: string[]; campaigns: string[] }> {
  const [triggers, channels, campaigns] = [
    await db
      .select({ id: trigger.id })
      .from(trigger)
      .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), isNull(trigger.deletedAt)))
      .orderBy(asc(trigger.id)),
    await db
      .select({ id: channel.id })
      .from(channel)
      .where(and(eq(channel.orgId, orgId), eq(channel.agentId, agentId), isNull(channel.deletedAt)))
      .orderBy(asc(channel.id)),
    await db
      .select({ id: campaign.id })
      .from(campaign)
      .where(
        and(
          eq(campaign.orgId, orgId),
          eq(campaign.agentId, agentId),
          isNull(campaign.deletedAt),
          ne(campaign.state, 'ended'),
        ),
      )
      .orderBy(asc(campaign.id)),
  ];
  return { triggers: ids(triggers), channels: ids(channels), campaigns: ids(campaigns) };
}

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

/** The rows stay for the runs and conversations that name them; nothing finds the agent any more. Its documents go. */
export async function deleteAgentRows(db: Queryable, orgId: string, agentId: string): Promise<void> {
  const gone = { deletedAt: sql`now()`, updatedAt: sql`now()` };
  await changeAgent(db, orgId, agentId, { deletedAt: new Date() });
  await db.delete(document).where(and(eq(document.orgId, orgId), eq(document.agentId, agentId)));
  await db
    .update(trigger)
    .set(gone)
    .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), isNull(trigger.deletedAt)));
  await db
    .update(channel)
    .set(gone)
    .where(and(eq(channel.orgId, orgId), eq(channel.agentId, agentId), isNull(channel.deletedAt)));
  await db
    .update(campaign)
    .set({ state: 'ended', updatedAt: sql`now()` })
    .where(and(eq(campaign.orgId, orgId), eq(campaign.agentId, agentId), ne(campaign.state, 'ended')));
}

/** After a change of credentials: whoever holds one of the agents in memory reads it again. */
export async function touchAgents(db: Queryable, orgId: string): Promise<void> {
  await db
    .update(agent)
    .set({ revision: sql`${agent.revision} + 1` })
    .where(and(eq(agent.orgId, orgId), isNull(agent.deletedAt)));
}
