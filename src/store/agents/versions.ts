import { and, desc, eq, lt, notInArray, sql } from 'drizzle-orm';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Queryable } from '../db.ts';
import { agent, agentVersion } from '../schema/agent.ts';
import { agentRollout } from '../schema/agent-rollout.ts';
import { type AgentRow, living } from './read.ts';
import { changeAgent } from './write.ts';
import { type PageOf, pageOf } from '../page.ts';

/**
 * Makes `definition` the draft and the live definition. Creates a version if it differs from the previous live
 * definition. The next number follows the number of the newest version, which may not be live.
 */
export async function publishDefinition(
  db: Queryable,
  row: AgentRow,
  definition: AgentDefinition,
  publishedBy: string | null,
  withoutTests: string | null = null,
): Promise<number> {
  const { orgId, id } = row;
  if (sameDefinition(row.published, definition)) {
    await changeAgent(db, orgId, id, { draft: definition });
    return row.version;
  }
  const version = row.newestVersion + 1;
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
  await db.insert(agentVersion).values({ orgId, agentId: id, version, definition, publishedBy, withoutTests });
  return version;
}

/** Adds a version that is not live, unless the newest version is equal, and returns its number. */
export async function addVersion(
  db: Queryable,
  { orgId, id, newestVersion }: AgentRow,
  definition: AgentDefinition,
  publishedBy: string | null,
): Promise<number> {
  const newest = await readAgentVersion(db, orgId, id, newestVersion);
  if (newest && sameDefinition(newest.definition, definition)) return newestVersion;
  const version = newestVersion + 1;
  await db.insert(agentVersion).values({ orgId, agentId: id, version, definition, publishedBy, neverLive: true });
  return version;
}

/** Makes a published version live for everyone. The draft does not change. */
export async function makeLive(db: Queryable, { orgId, agentId, version, definition }: AgentVersionRow): Promise<void> {
  await db
    .update(agent)
    .set({ published: definition, version, revision: sql`${agent.revision} + 1`, updatedAt: sql`now()` })
    .where(living(orgId, agentId));
  await db
    .update(agentVersion)
    .set({ neverLive: false })
    .where(and(ofAgent(orgId, agentId), eq(agentVersion.version, version)));
}

/** True if two definitions are equal, in any order of their members. */
export const sameDefinition = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

type AgentVersionRow = typeof agentVersion.$inferSelect;

const ofAgent = (orgId: string, agentId: string) =>
  and(eq(agentVersion.orgId, orgId), eq(agentVersion.agentId, agentId));

export async function listAgentVersions(
  db: Queryable,
  orgId: string,
  agentId: string,
  { limit, before }: { limit: number; before: number | null },
): Promise<PageOf<AgentVersionRow>> {
  const rows = await db
    .select()
    .from(agentVersion)
    .where(and(ofAgent(orgId, agentId), before === null ? undefined : lt(agentVersion.version, before)))
    .orderBy(desc(agentVersion.version))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function hasVersion(db: Queryable, orgId: string, agentId: string, version: number): Promise<boolean> {
  const rows = await db
    .select({ version: agentVersion.version })
    .from(agentVersion)
    .where(and(ofAgent(orgId, agentId), eq(agentVersion.version, version)));
  return rows.length > 0;
}

/**
 * Finds the newest version before `version` that has been live, without versions whose rollouts were all stopped.
 */
export async function readVersionBefore(
  db: Queryable,
  orgId: string,
  agentId: string,
  version: number,
): Promise<AgentVersionRow | null> {
  const withdrawn = db
    .select({ version: agentRollout.version })
    .from(agentRollout)
    .where(and(eq(agentRollout.orgId, orgId), eq(agentRollout.agentId, agentId)))
    .groupBy(agentRollout.version)
    .having(sql`bool_and(${agentRollout.status} = 'stopped')`);
  const rows = await db
    .select()
    .from(agentVersion)
    .where(
      and(
        ofAgent(orgId, agentId),
        lt(agentVersion.version, version),
        eq(agentVersion.neverLive, false),
        notInArray(agentVersion.version, withdrawn),
      ),
    )
    .orderBy(desc(agentVersion.version))
    .limit(1);
  return rows[0] ?? null;
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
    .where(and(ofAgent(orgId, agentId), eq(agentVersion.version, version)));
  return rows[0] ?? null;
}
