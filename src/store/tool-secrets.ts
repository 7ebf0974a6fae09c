import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import { toolSecret } from './schema/agent.ts';

export type ToolSecretRow = typeof toolSecret.$inferSelect;

const ofAgent = (orgId: string, agentId: string) => and(eq(toolSecret.orgId, orgId), eq(toolSecret.agentId, agentId));
const one = (orgId: string, agentId: string, id: string) => and(ofAgent(orgId, agentId), eq(toolSecret.id, id));

/** Returns all secrets of the agent, because an agent has at most MAX_TOOL_SECRETS. */
export const listToolSecrets = async (db: Queryable, orgId: string, agentId: string): Promise<ToolSecretRow[]> =>
  db.select().from(toolSecret).where(ofAgent(orgId, agentId)).orderBy(asc(toolSecret.tool), asc(toolSecret.id));

/** The secrets of one tool, for every origin of the tool. */
export const readToolSecrets = async (
  db: Queryable,
  orgId: string,
  agentId: string,
  tool: string,
): Promise<ToolSecretRow[]> =>
  db
    .select()
    .from(toolSecret)
    .where(and(ofAgent(orgId, agentId), eq(toolSecret.tool, tool)));

/** The row stays locked until the transaction ends. */
export async function lockToolSecret(
  tx: Queryable,
  orgId: string,
  agentId: string,
  id: string,
): Promise<ToolSecretRow | null> {
  const [row] = await tx
    .select()
    .from(toolSecret)
    .where(one(orgId, agentId, id))
    .for('no key update');
  return row ?? null;
}

/** The caller has locked the agent's row, so that two simultaneous inserts check the limit one after the other. */
export async function countToolSecrets(tx: Queryable, orgId: string, agentId: string): Promise<number> {
  const [row] = await tx.select({ many: count() }).from(toolSecret).where(ofAgent(orgId, agentId));
  return row!.many;
}

/** Null: the tool already has a secret for this origin. */
export async function insertToolSecret(
  tx: Queryable,
  orgId: string,
  input: Pick<ToolSecretRow, 'id' | 'agentId' | 'tool' | 'origin' | 'sealed' | 'credentials'>,
): Promise<ToolSecretRow | null> {
  const rows = await tx
    .insert(toolSecret)
    .values({ orgId, ...input })
    .onConflictDoNothing()
    .returning();
  return rows[0] ?? null;
}

export async function changeToolSecret(
  tx: Queryable,
  { orgId, agentId, id }: Pick<ToolSecretRow, 'orgId' | 'agentId' | 'id'>,
  changes: Partial<Pick<ToolSecretRow, 'sealed' | 'credentials' | 'previousUntil'>>,
): Promise<ToolSecretRow> {
  const rows = await tx
    .update(toolSecret)
    .set({ ...changes, updatedAt: sql`statement_timestamp()` })
    .where(one(orgId, agentId, id))
    .returning();
  return rows[0]!;
}

export async function deleteToolSecret(
  tx: Queryable,
  { orgId, agentId, id }: Pick<ToolSecretRow, 'orgId' | 'agentId' | 'id'>,
): Promise<void> {
  await tx.delete(toolSecret).where(one(orgId, agentId, id));
}
