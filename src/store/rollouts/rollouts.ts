import { and, desc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Comparison, RolloutRecord, StopWhen } from '../../../contract/dashboard/rollouts.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { agent } from '../schema/agent.ts';
import { agentRollout } from '../schema/agent-rollout.ts';

export type RolloutRow = typeof agentRollout.$inferSelect;

const ofAgent = (orgId: string, agentId: string) =>
  and(eq(agentRollout.orgId, orgId), eq(agentRollout.agentId, agentId));
const ACTIVE = eq(agentRollout.status, 'active');

export async function readActiveRollout(db: Queryable, orgId: string, agentId: string): Promise<RolloutRow | null> {
  const [row] = await db
    .select()
    .from(agentRollout)
    .where(and(ofAgent(orgId, agentId), ACTIVE));
  return row ?? null;
}

/** Finds the agent's rollout that began last, active or not. */
export async function readLatestRollout(db: Queryable, orgId: string, agentId: string): Promise<RolloutRow | null> {
  const [row] = await db
    .select()
    .from(agentRollout)
    .where(ofAgent(orgId, agentId))
    .orderBy(desc(agentRollout.id))
    .limit(1);
  return row ?? null;
}

type NewRollout = Pick<RolloutRow, 'agentId' | 'version' | 'baseVersion' | 'percent' | 'stopWhen' | 'createdBy'>;

export async function insertRollout(tx: Queryable, orgId: string, row: NewRollout): Promise<RolloutRow> {
  const [made] = await tx
    .insert(agentRollout)
    .values({ orgId, id: newId('rollout'), ...row })
    .returning();
  return made!;
}

export async function changeRollout(
  tx: Queryable,
  orgId: string,
  id: string,
  changes: { percent: number; stopWhen: StopWhen | null },
): Promise<RolloutRow> {
  const [row] = await tx
    .update(agentRollout)
    .set({ ...changes, checkAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(agentRollout.orgId, orgId), eq(agentRollout.id, id)))
    .returning();
  return row!;
}

export type RolloutEnd = {
  status: Exclude<RolloutRecord['status'], 'active'>;
  reason: RolloutRecord['reason'];
  comparison: Comparison | null;
};

/** A trigger of the table writes the event about a stopped rollout. Null: the rollout had already ended. */
export async function endRollout(
  tx: Queryable,
  orgId: string,
  id: string,
  end: RolloutEnd,
): Promise<RolloutRow | null> {
  const [row] = await tx
    .update(agentRollout)
    .set({ ...end, endedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(agentRollout.orgId, orgId), eq(agentRollout.id, id), ACTIVE))
    .returning();
  return row ?? null;
}

/** Claims rollouts whose comparison is due, so that each rollout is due again only after `pauseMs`. */
export async function claimDueRollouts(db: Queryable, limit: number, pauseMs: number): Promise<RolloutRow[]> {
  const due = db
    .select({ id: agentRollout.id })
    .from(agentRollout)
    .innerJoin(agent, and(eq(agent.orgId, agentRollout.orgId), eq(agent.id, agentRollout.agentId)))
    .where(
      and(
        ACTIVE,
        sql`${agentRollout.stopWhen} IS NOT NULL`,
        lte(agentRollout.checkAt, sql`now()`),
        isNull(agent.deletedAt),
      ),
    )
    .orderBy(agentRollout.checkAt)
    .limit(limit)
    .for('update', { of: agentRollout, skipLocked: true });
  return db
    .update(agentRollout)
    .set({ checkAt: sql`now() + ${pauseMs} * interval '1 millisecond'` })
    .where(sql`${agentRollout.id} IN (${due})`)
    .returning();
}

/** A slow comparison is made less often. */
export async function delayRollout(db: Queryable, { orgId, id }: RolloutRow, ms: number): Promise<void> {
  await db
    .update(agentRollout)
    .set({ checkAt: sql`now() + ${ms} * interval '1 millisecond'` })
    .where(and(eq(agentRollout.orgId, orgId), eq(agentRollout.id, id)));
}
