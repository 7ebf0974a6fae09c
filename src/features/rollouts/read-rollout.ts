import type { Comparison, RolloutRecord } from '../../../contract/dashboard/rollouts.ts';
import { Refusal } from '../../../contract/problems.ts';
import { resultFieldsOf } from '../../answering/results/result-fields.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readAgent } from '../../store/agents/read.ts';
import { readAgentVersion } from '../../store/agents/versions.ts';
import type { Queryable } from '../../store/db.ts';
import { countArms } from '../../store/rollouts/count-versions.ts';
import { readLatestRollout, type RolloutRow } from '../../store/rollouts/rollouts.ts';
import type { RolloutsDeps } from './deps.ts';
import { compareArms, CONFIDENCE } from './judge-rollout.ts';

/** Reads the agent's rollout that began last. */
export async function readRollout({ db }: RolloutsDeps, orgId: string, agentId: string): Promise<RolloutRecord> {
  if (!(await readAgent(db, orgId, agentId))) throw new Refusal('agent_not_found');
  const row = await readLatestRollout(db, orgId, agentId);
  if (!row) throw new Refusal('rollout_not_found');
  return presentRollout(db, row);
}

/** An active rollout contains the current comparison. An ended rollout contains its last comparison. */
export async function presentRollout(
  db: Queryable,
  row: RolloutRow,
  compare: typeof compareIfPossible = compareRollout,
): Promise<RolloutRecord> {
  return {
    id: row.id,
    agent_id: row.agentId,
    version: row.version,
    base_version: row.baseVersion,
    percent: row.percent,
    stop_when: row.stopWhen,
    status: row.status as RolloutRecord['status'],
    reason: row.reason as RolloutRecord['reason'],
    comparison: row.status === 'active' ? await compare(db, row) : row.comparison,
    created_at: timestamp(row.createdAt),
    ended_at: row.endedAt && timestamp(row.endedAt),
  };
}

export async function compareRollout(db: Queryable, row: RolloutRow): Promise<Comparison> {
  const { orgId, agentId, id, version, baseVersion, stopWhen } = row;
  const returning = await versionsWithResult(db, orgId, agentId, [baseVersion, version]);
  const arms = await countArms(db, orgId, id, returning);
  const armOf = (number: number) => arms.find((arm) => arm.version === number) ?? { version: number, n: 0, hits: 0 };
  return compareArms(armOf(baseVersion), armOf(version), stopWhen?.confidence ?? CONFIDENCE);
}

/** A rollout can be changed and ended although its comparison fails. Null: the comparison failed. */
export const compareIfPossible = (db: Queryable, row: RolloutRow): Promise<Comparison | null> =>
  compareRollout(db, row).catch(() => null);

/** Returns those of the given versions whose runs return a result. */
export async function versionsWithResult(
  db: Queryable,
  orgId: string,
  agentId: string,
  versions: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  for (const version of versions) {
    const row = await readAgentVersion(db, orgId, agentId, version);
    if (row && resultFieldsOf(row.definition).length > 0) found.push(version);
  }
  return found;
}
