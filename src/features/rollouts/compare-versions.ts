import type { VersionComparison, VersionResult } from '../../../contract/dashboard/rollouts.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readAgent } from '../../store/agents/read.ts';
import {
  type ComparedRuns,
  countVersionCosts,
  countVersions,
  type VersionCost,
  type VersionCounts,
} from '../../store/rollouts/count-versions.ts';
import { readLatestRollout } from '../../store/rollouts/rollouts.ts';
import { estimateAverage, estimatePart } from './always-valid-interval.ts';
import type { RolloutsDeps } from './deps.ts';
import { CONFIDENCE } from './judge-rollout.ts';
import { presentRollout, versionsWithResult } from './read-rollout.ts';

const DAYS = 30;
/** One page shows at most this many versions, newest first. */
const MAX_VERSIONS = 20;

/**
 * Compares the versions of an agent. The runs are the runs of the latest rollout, because they happened at the same
 * time with randomly chosen end users. Without a rollout, the function compares the runs of the last 30 days.
 */
export async function compareVersions(
  { db }: RolloutsDeps,
  orgId: string,
  agentId: string,
  now = new Date(),
): Promise<VersionComparison> {
  if (!(await readAgent(db, orgId, agentId))) throw new Refusal('agent_not_found');
  const rollout = await readLatestRollout(db, orgId, agentId);
  const since = rollout?.createdAt ?? new Date(now.getTime() - DAYS * 86_400_000);
  const runs: ComparedRuns = rollout ? { rolloutId: rollout.id } : { agentId, since };
  const counts = (await countVersions(db, orgId, runs)).slice(0, MAX_VERSIONS);
  const costs = await countVersionCosts(db, orgId, runs);
  const returning = await versionsWithResult(
    db,
    orgId,
    agentId,
    counts.map(({ version }) => version),
  );
  return {
    confidence: CONFIDENCE,
    since: timestamp(since),
    rollout: rollout && (await presentRollout(db, rollout)),
    data: counts.map((one) => present(one, costs, returning.includes(one.version))),
  };
}

function present(counts: VersionCounts, costs: readonly VersionCost[], returns: boolean): VersionResult {
  const counted = (hits: number) => ({ count: hits, part: estimatePart({ n: counts.runs, hits }, CONFIDENCE) });
  return {
    version: counts.version,
    runs: counts.runs,
    completed: counted(counts.completed),
    handed_off: counted(counts.handed_off),
    unanswered: counted(counts.unanswered),
    failed: counted(counts.failed),
    ratings: { count: counts.ratings, average: counts.average_rating },
    answers: { good: counts.answers_good, bad: counts.answers_bad },
    result_complete: returns ? counted(counts.result_complete) : null,
    cost: costs
      .filter(({ version }) => version === counts.version)
      .map((cost) => ({
        currency: cost.currency,
        per_run: estimateAverage(cost, CONFIDENCE) ?? { value: cost.average, low: null, high: null },
      })),
  };
}
