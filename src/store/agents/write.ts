import { and, eq, isNull, sql } from 'drizzle-orm';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { Queryable } from '../db.ts';
import { agent, agentVersion } from '../schema/agent.ts';
import { type AgentRow, living } from './read.ts';

export async function insertAgent(
  db: Queryable,
  orgId: string,
  input: { id: string; name: string; definition: AgentDefinition; publishedBy: string | null },
): Promise<void> {
  const { id, name, definition, publishedBy } = input;
  await db.insert(agent).values({ orgId, id, name, draft: definition, published: definition });
  await db.insert(agentVersion).values({ orgId, agentId: id, version: 1, definition, publishedBy });
}

/** Each change creates a new revision, so that every cache reads the agent again. */
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

/** This function is called after a change of credentials, so that every cache reads the agents again. */
export async function touchAgents(db: Queryable, orgId: string): Promise<void> {
  await db
    .update(agent)
    .set({ revision: sql`${agent.revision} + 1` })
    .where(and(eq(agent.orgId, orgId), isNull(agent.deletedAt)));
}
