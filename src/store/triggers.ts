import { and, eq, ilike, isNull, sql } from 'drizzle-orm';
import type { VariableDeclaration } from '../../contract/triggers.ts';
import type { Queryable } from './db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from './page.ts';
import { containing } from './search-text.ts';
import { agent } from './schema/agent.ts';
import { channel } from './schema/channel.ts';
import { trigger } from './schema/trigger.ts';

export type TriggerRow = typeof trigger.$inferSelect;

const living = isNull(trigger.deletedAt);

export async function insertTrigger(
  db: Queryable,
  orgId: string,
  row: {
    id: string;
    agentId: string;
    name: string;
    enabled: boolean;
    variables: VariableDeclaration[];
    channelId: string | null;
    agentVersion?: number | null;
  },
): Promise<TriggerRow> {
  const [made] = await db
    .insert(trigger)
    .values({ orgId, ...row })
    .returning();
  return made!;
}

export async function updateTriggerRow(
  db: Queryable,
  orgId: string,
  id: string,
  changes: Partial<Pick<TriggerRow, 'name' | 'enabled' | 'variables' | 'channelId' | 'agentVersion' | 'deletedAt'>>,
): Promise<TriggerRow | null> {
  const [row] = await db
    .update(trigger)
    .set({ ...changes, updatedAt: new Date() })
    .where(and(eq(trigger.orgId, orgId), eq(trigger.id, id), living))
    .returning();
  return row ?? null;
}

export async function findTrigger(db: Queryable, orgId: string, id: string): Promise<TriggerRow | null> {
  const [row] = await db
    .select()
    .from(trigger)
    .where(and(eq(trigger.orgId, orgId), eq(trigger.id, id), living));
  return row ?? null;
}

export async function listTriggerRows(
  db: Queryable,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<TriggerRow>> {
  const rows = await db
    .select()
    .from(trigger)
    .where(
      and(
        eq(trigger.orgId, orgId),
        living,
        filter.agentId ? eq(trigger.agentId, filter.agentId) : undefined,
        filter.text ? ilike(trigger.name, containing(filter.text)) : undefined,
        behind(trigger.createdAt, trigger.id, page.after),
      ),
    )
    .orderBy(...newestFirst(trigger.createdAt, trigger.id))
    .limit(page.limit + 1);
  return pageOf(rows, page.limit);
}

/** Names of the variables that the triggers of an agent declare. */
export async function declaredVariables(db: Queryable, orgId: string, agentId: string): Promise<Set<string>> {
  const rows = await db
    .select({ variables: trigger.variables })
    .from(trigger)
    .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), living));
  return new Set(rows.flatMap(({ variables }) => variables.map(({ name }) => name)));
}

/** The records that a trigger may reference are an existing agent and a channel of this agent. */
export async function findTriggerTargets(
  db: Queryable,
  orgId: string,
  agentId: string,
  channelId: string | null,
): Promise<{ agent: boolean; channel: boolean }> {
  const [row] = await db
    .select({
      channel: sql<boolean>`${channelId}::text IS NULL OR EXISTS (SELECT 1 FROM ${channel} c
        WHERE c.org_id = ${orgId} AND c.id = ${channelId} AND c.agent_id = ${agentId} AND c.deleted_at IS NULL)`,
    })
    .from(agent)
    .where(and(eq(agent.orgId, orgId), eq(agent.id, agentId), isNull(agent.deletedAt)));
  return { agent: row !== undefined, channel: row?.channel ?? false };
}

/**
 * Finds the trigger for calls that name no trigger, which is the oldest trigger without a required variable. If every
 * trigger requires a variable, returns the oldest trigger.
 */
export async function findCallableTrigger(db: Queryable, orgId: string, agentId: string): Promise<string | null> {
  const requires = sql`EXISTS (SELECT 1 FROM jsonb_array_elements(${trigger.variables}) v
    WHERE v->>'required' = 'true' AND NOT v ? 'default')`;
  const [row] = await db
    .select({ id: trigger.id })
    .from(trigger)
    .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), eq(trigger.enabled, true), living))
    .orderBy(requires, trigger.id)
    .limit(1);
  return row?.id ?? null;
}

/** Maximum number of agents in one list of models, which has no pages. */
const MAX_CALLABLE_AGENTS = 1_000;

/** The agents that can be called without a trigger's ID, oldest first. `agentId`: lists only this agent. */
export function listCallableAgents(
  db: Queryable,
  orgId: string,
  agentId: string | null,
): Promise<{ id: string; name: string; createdAt: Date }[]> {
  return db
    .select({ id: agent.id, name: agent.name, createdAt: agent.createdAt })
    .from(agent)
    .where(
      and(
        eq(agent.orgId, orgId),
        isNull(agent.deletedAt),
        eq(agent.enabled, true),
        agentId === null ? undefined : eq(agent.id, agentId),
        sql`EXISTS (SELECT 1 FROM trigger t WHERE t.org_id = ${agent.orgId} AND t.agent_id = ${agent.id}
          AND t.enabled AND t.deleted_at IS NULL)`,
      ),
    )
    .orderBy(agent.createdAt, agent.id)
    .limit(MAX_CALLABLE_AGENTS);
}
