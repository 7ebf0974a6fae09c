import type { RolloutRecord } from '../../../contract/dashboard/rollouts.ts';
import { Refusal } from '../../../contract/problems.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { makeLive, readAgentVersion } from '../../store/agents/versions.ts';
import { changeAgent } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import {
  endRollout as endRow,
  readActiveRollout,
  type RolloutEnd,
  type RolloutRow,
} from '../../store/rollouts/rollouts.ts';
import type { RolloutsDeps } from './deps.ts';
import { compareIfPossible, presentRollout } from './read-rollout.ts';

/** Withdraws the version of a rollout, so that the next turn of everyone uses the live version. */
export const stopRollout = (deps: RolloutsDeps, orgId: string, agentId: string, actor: Actor): Promise<RolloutRecord> =>
  endActive(deps, orgId, agentId, actor, { status: 'stopped', reason: 'member' });

/** Makes the version of a rollout live for everyone. */
export const finishRollout = (
  deps: RolloutsDeps,
  orgId: string,
  agentId: string,
  actor: Actor,
): Promise<RolloutRecord> => endActive(deps, orgId, agentId, actor, { status: 'finished', reason: null });

type End = Pick<RolloutEnd, 'status' | 'reason'>;

async function endActive(
  { db }: RolloutsDeps,
  orgId: string,
  agentId: string,
  actor: Actor,
  end: End,
): Promise<RolloutRecord> {
  // The comparison may take long, so it is made before the agent is locked.
  const seen = await readActiveRollout(db, orgId, agentId);
  const comparison = seen && (await compareIfPossible(db, seen));
  return db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    const ended = seen && (await applyEnd(tx, seen, { ...end, comparison }, actor));
    if (!ended) throw new Refusal('rollout_not_active');
    return presentRollout(tx, ended);
  });
}

/** Ends a rollout in a transaction that has locked its agent. Null if the rollout had already ended. */
export async function applyEnd(
  tx: Queryable,
  { orgId, agentId, id, version, percent }: RolloutRow,
  end: RolloutEnd,
  actor: Actor,
): Promise<RolloutRow | null> {
  const ended = await endRow(tx, orgId, id, end);
  if (!ended) return null;
  const chosen = end.status === 'finished' ? await readAgentVersion(tx, orgId, agentId, version) : null;
  if (chosen) await makeLive(tx, chosen);
  else await changeAgent(tx, orgId, agentId, {});
  await recordAudit(tx, {
    orgId,
    actor,
    action: `agent.rollout_${end.status}`,
    subjectId: agentId,
    facts: { version, percent, ...(end.reason && { reason: end.reason }) },
  });
  return ended;
}
