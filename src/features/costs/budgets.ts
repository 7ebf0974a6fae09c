import { type BudgetRecord, MAX_BUDGETS, type SetBudgetBody } from '../../../contract/dashboard/costs.ts';
import { isId } from '../../../contract/ids.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { touchAgents } from '../../store/agents/write.ts';
import type { Db } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import {
  deleteBudget,
  listBudgets as listRows,
  type NamedBudget,
  subjectExists,
  writeBudget,
} from '../../store/costs/budgets.ts';

/**
 * When a budget is spent, the model is not called. The next entry of the agent's fallback order that accepts the reason
 * `budget` answers, for example another model, the built-in engine or a hand-off. Without such an entry, the turn fails
 * with `budget_spent` (src/answering/models/fallback-order.ts). A call counts as spent when its highest possible cost
 * does not fit (src/store/costs/reserve.ts). The owners get a mail about the spent budget (notify-owners.ts). When the
 * day or the month ends, the budget is full again.
 */
const present = (row: NamedBudget): BudgetRecord => ({
  id: row.id,
  subject: row.subject as BudgetRecord['subject'],
  subject_id: row.subjectId || null,
  subject_name: row.name,
  period: row.period as BudgetRecord['period'],
  unit: row.unit,
  amount: Number(row.amount),
  spent: Number(row.spent),
  reserved: Number(row.reserved),
  period_start: row.periodStart,
  told_percent: row.told,
});

export const listBudgets = async ({ db }: { db: Db }, orgId: string): Promise<BudgetRecord[]> =>
  (await listRows(db, orgId)).map(present);

/**
 * Sets the amount of a budget. Each subject has at most one budget for each period and unit. Agents are loaded again,
 * because a worker caches whether the organization has budgets.
 */
export async function setBudget(
  { db }: { db: Db },
  orgId: string,
  { subject, subject_id: subjectId = null, period, unit, amount }: SetBudgetBody,
  actor: Actor,
): Promise<BudgetRecord> {
  if (subject === 'organization' ? subjectId !== null : subjectId === null || !isId(subject, subjectId)) {
    throw invalid('/subject_id', 'Name the agent, campaign or key; the organization needs no id.');
  }
  return db.transaction(async (tx) => {
    // The lock makes two simultaneous calls check the limit one after the other.
    await lockOrganization(tx, orgId);
    if (subject !== 'organization' && !(await subjectExists(tx, orgId, subject, subjectId!))) {
      throw invalid('/subject_id', 'There is no record with this id.');
    }
    const of = { subject, subjectId: subjectId ?? '', period, unit };
    const { id, before } = await writeBudget(tx, orgId, { id: newId('budget'), ...of, amount: String(amount) });
    const rows = await listRows(tx, orgId);
    if (rows.length > MAX_BUDGETS) throw invalid('/subject', `An organization has at most ${MAX_BUDGETS} budgets.`);
    await touchAgents(tx, orgId);
    const facts = { ...of, amount, before };
    await recordAudit(tx, { orgId, actor, action: 'budget.set', subjectId: id, facts });
    return present(rows.find((row) => row.id === id)!);
  });
}

export async function removeBudget({ db }: { db: Db }, orgId: string, id: string, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await deleteBudget(tx, orgId, id);
    if (!row) throw new Refusal('budget_not_found');
    await touchAgents(tx, orgId);
    const { subject, subjectId, period, unit, amount } = row;
    const facts = { subject, subjectId, period, unit, amount };
    await recordAudit(tx, { orgId, actor, action: 'budget.removed', subjectId: id, facts });
  });
}

const invalid = (pointer: string, detail: string): Refusal => invalidAt(pointer, 'invalid', detail);
