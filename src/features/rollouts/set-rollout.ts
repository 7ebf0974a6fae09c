import type { RolloutBody, RolloutRecord } from '../../../contract/dashboard/rollouts.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { type AgentRow, lockAgent } from '../../store/agents/read.ts';
import { makeLive, readAgentVersion, readVersionBefore } from '../../store/agents/versions.ts';
import { changeAgent } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { changeRollout, insertRollout, readActiveRollout } from '../../store/rollouts/rollouts.ts';
import type { RolloutsDeps } from './deps.ts';
import { compareIfPossible, presentRollout } from './read-rollout.ts';

/**
 * Starts a rollout of a version, or changes its percentage and its limit. The change takes effect with the next turn,
 * because each claimed run has the revision of the agent.
 */
export async function setRollout(
  { db }: RolloutsDeps,
  orgId: string,
  agentId: string,
  body: RolloutBody,
  actor: Actor,
): Promise<RolloutRecord> {
  const set = await db.transaction(async (tx) => {
    const agent = await lockAgent(tx, orgId, agentId);
    if (!agent) throw new Refusal('agent_not_found');
    if (!(await readAgentVersion(tx, orgId, agentId, body.version)))
      throw new Refusal('agent_version_not_found', `This agent has no version ${body.version}.`);
    const active = await readActiveRollout(tx, orgId, agentId);
    if (active && active.version !== body.version)
      throw new Refusal('rollout_active', `Version ${active.version} is being rolled out to ${active.percent} %.`);
    const stopWhen = body.stop_when === undefined ? (active?.stopWhen ?? null) : body.stop_when;
    const settings = { percent: body.percent, stopWhen };
    const baseVersion = active ? active.baseVersion : await makeRoom(tx, agent, body.version);
    const row = active
      ? await changeRollout(tx, orgId, active.id, settings)
      : await insertRollout(tx, orgId, {
          agentId,
          version: body.version,
          baseVersion,
          ...settings,
          createdBy: actor.userId,
        });
    await changeAgent(tx, orgId, agentId, {});
    await recordAudit(tx, {
      orgId,
      actor,
      action: active ? 'agent.rollout_changed' : 'agent.rollout_started',
      subjectId: agentId,
      facts: { version: body.version, base_version: baseVersion, percent: body.percent, stop_when: stopWhen },
    });
    return row;
  });
  // The comparison may take long or fail, so it is made after the commit.
  return presentRollout(db, set, compareIfPossible);
}

/**
 * Returns the version of everyone else, which is the live version. If the version of the rollout is already live, the
 * newest earlier version that has been live becomes live. A version that was withdrawn, for example because it was
 * worse, stays withdrawn.
 */
async function makeRoom(tx: Queryable, agent: AgentRow, version: number): Promise<number> {
  if (agent.version !== version) return agent.version;
  const before = await readVersionBefore(tx, agent.orgId, agent.id, version);
  if (!before) {
    const detail = 'This version is live, and no earlier version has been live for end users outside the rollout.';
    throw invalidAt('/version', 'conflict', detail);
  }
  await makeLive(tx, before);
  return before.version;
}
