import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Queryable } from '../db.ts';
import { budget } from '../schema/costs.ts';

export type BudgetRow = typeof budget.$inferSelect;
/** `name`: the name of the budget's agent, campaign or key. Null for the organization, and for deleted records. */
export type NamedBudget = BudgetRow & { name: string | null };
export type BudgetOf = Pick<BudgetRow, 'subject' | 'subjectId' | 'period' | 'unit'>;

const START = (period: unknown) => sql<string>`date_trunc(${period}::text, now() AT TIME ZONE 'UTC')::date`;

const NAME = sql<string | null>`CASE ${budget.subject}
  WHEN 'agent' THEN (SELECT name FROM agent t WHERE t.org_id = ${budget.orgId} AND t.id = ${budget.subjectId})
  WHEN 'campaign' THEN (SELECT name FROM campaign t WHERE t.org_id = ${budget.orgId} AND t.id = ${budget.subjectId})
  WHEN 'key' THEN (SELECT label FROM api_key t WHERE t.org_id = ${budget.orgId} AND t.id = ${budget.subjectId}) END`;

export async function hasBudgets(db: Queryable, orgId: string): Promise<boolean> {
  const rows = await db.select({ id: budget.id }).from(budget).where(eq(budget.orgId, orgId)).limit(1);
  return rows.length > 0;
}

/** Returns the counts of the current period, which begins with its first turn. */
export async function listBudgets(db: Queryable, orgId: string): Promise<NamedBudget[]> {
  const rows = await db
    .select({ row: budget, name: NAME, start: sql<string>`${START(budget.period)}::text` })
    .from(budget)
    .where(eq(budget.orgId, orgId))
    .orderBy(asc(budget.createdAt), asc(budget.id));
  return rows.map(({ row, name, start }) => {
    const isCurrent = row.periodStart === start;
    return { ...row, name, ...(!isCurrent && { periodStart: start, spent: '0', told: 0 }) };
  });
}

/**
 * Returns the previous amount. Null if the budget is new. A new amount does not change the spent amount of the current
 * period. If the stored period is over, the new period begins with nothing spent.
 */
export async function writeBudget(
  tx: Queryable,
  orgId: string,
  { id, subject, subjectId, period, unit, amount }: BudgetOf & { id: string; amount: string },
): Promise<{ id: string; before: string | null }> {
  const one = and(
    eq(budget.orgId, orgId),
    eq(budget.subject, subject),
    eq(budget.subjectId, subjectId),
    eq(budget.period, period),
    eq(budget.unit, unit),
  );
  // Citus accepts the time in a CASE only as a subquery.
  const start = sql`(SELECT ${START(period)})`;
  const isCurrent = sql`${budget.periodStart} = ${start}`;
  // After a change of the amount, and in a new period, no threshold counts as reported.
  const afterChange = (column: PgColumn) =>
    sql`CASE WHEN ${budget.amount} = ${amount}::numeric AND ${isCurrent} THEN ${column} ELSE 0 END`;
  const spent = sql`CASE WHEN ${isCurrent} THEN ${budget.spent} ELSE 0 END`;
  const [known] = await tx.select({ id: budget.id, amount: budget.amount }).from(budget).where(one).for('update');
  if (known) {
    await tx
      .update(budget)
      .set({
        amount,
        periodStart: start,
        spent,
        told: afterChange(budget.told),
        mailed: afterChange(budget.mailed),
        updatedAt: sql`now()`,
      })
      .where(and(eq(budget.orgId, orgId), eq(budget.id, known.id)));
    return { id: known.id, before: known.amount };
  }
  // A new budget also counts the usage of the current period so far.
  await tx.execute(sql`
    INSERT INTO budget (org_id, id, subject, subject_id, period, unit, amount, period_start, reserved, told, mailed,
      created_at, updated_at, spent)
    SELECT ${orgId}, ${id}, ${subject}::text, ${subjectId}, ${period}::text, ${unit}::text, ${amount}::numeric,
      ${START(period)}, 0, 0, 0, now(), now(),
      coalesce(sum(CASE WHEN ${unit}::text = 'tokens' THEN input_tokens + output_tokens
        WHEN ${unit}::text = 'calls' THEN calls WHEN ${unit}::text = 'seconds' THEN milliseconds / 1000.0
    WHEN currency = ${unit}::text THEN cost ELSE 0 END), 0)
    FROM model_usage WHERE org_id = ${orgId} AND day >= ${START(period)} AND CASE ${subject}::text
      WHEN 'organization' THEN true WHEN 'agent' THEN agent_id = ${subjectId} WHEN 'key' THEN key_id = ${subjectId}
      ELSE campaign_id = ${subjectId} END`);
  return { id, before: null };
}

const TABLES = { agent: 'agent', campaign: 'campaign', key: 'api_key' } as const;

export async function subjectExists(
  tx: Queryable,
  orgId: string,
  subject: keyof typeof TABLES,
  id: string,
): Promise<boolean> {
  const { rows } = await tx.execute(
    sql`SELECT 1 FROM ${sql.identifier(TABLES[subject])} WHERE org_id = ${orgId} AND id = ${id}`,
  );
  return rows.length > 0;
}

export async function deleteBudget(tx: Queryable, orgId: string, id: string): Promise<BudgetRow | null> {
  const rows = await tx
    .delete(budget)
    .where(and(eq(budget.orgId, orgId), eq(budget.id, id)))
    .returning();
  return rows[0] ?? null;
}

/**
 * Locks budgets that reached a threshold about which no mail was sent to the owners yet. Only one node at a time locks
 * a budget.
 */
export async function lockUnmailed(tx: Queryable, limit: number): Promise<NamedBudget[]> {
  const rows = await tx
    .select({ row: budget, name: NAME })
    .from(budget)
    .where(and(gt(budget.told, budget.mailed), eq(budget.periodStart, START(budget.period))))
    .limit(limit)
    .for('update', { of: budget, skipLocked: true });
  return rows.map(({ row, name }) => ({ ...row, name }));
}

export async function setMailed(tx: Queryable, { orgId, id, told }: BudgetRow): Promise<void> {
  await tx
    .update(budget)
    .set({ mailed: told })
    .where(and(eq(budget.orgId, orgId), eq(budget.id, id)));
}
