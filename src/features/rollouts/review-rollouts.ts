import type { Comparison } from '../../../contract/dashboard/rollouts.ts';
import { lockAgent } from '../../store/agents/read.ts';
import type { Db } from '../../store/db.ts';
import { SYSTEM } from '../../store/organizations/audit.ts';
import { claimDueRollouts, delayRollout, type RolloutRow } from '../../store/rollouts/rollouts.ts';
import type { Tally } from './always-valid-interval.ts';
import { applyEnd } from './end-rollout.ts';
import { isWorse } from './judge-rollout.ts';
import { compareRollout } from './read-rollout.ts';

/** The time is slightly less than the pause of the loop that calls this function. */
const PAUSE_MS = 50_000;
/** Comparisons may use at most this part of the time. */
const BUSY_PART = 0.02;

/** Stops the rollouts of versions that are worse. Returns the number of compared rollouts. */
export async function reviewRollouts(db: Db, limit: number): Promise<number> {
  const due = await claimDueRollouts(db, limit, PAUSE_MS);
  let failure: unknown;
  for (const rollout of due) {
    try {
      await review(db, rollout);
    } catch (error) {
      // After a failed comparison, for example of too many runs, the other rollouts are still compared.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return due.length;
}

async function review(db: Db, rollout: RolloutRow): Promise<void> {
  const { orgId, agentId, stopWhen } = rollout;
  const began = performance.now();
  let comparison: Comparison;
  try {
    comparison = await compareRollout(db, rollout);
  } finally {
    const pauseMs = (performance.now() - began) / BUSY_PART;
    if (pauseMs > PAUSE_MS) await delayRollout(db, rollout, pauseMs);
  }
  if (!stopWhen || !isWorse(tallyOf(comparison.rolled_out), tallyOf(comparison.base), stopWhen)) return;
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) return;
    await applyEnd(tx, rollout, { status: 'stopped', reason: 'worse', comparison }, SYSTEM);
  });
}

const tallyOf = ({ end_users: n, problems }: Comparison['base']): Tally => ({ n, hits: problems.count });
