import { createHash } from 'node:crypto';
import type { AgentForTurns } from '../store/agents/read-for-turns.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { LoadAgent, LoadedAgent } from './load-agent.ts';

/**
 * Chooses the version of an agent that answers. The version of the call or its trigger comes first, then the version of
 * the rollout for its part of the end users, and last the live version. The part is computed, so an end user always
 * gets the same version, in every conversation and on every node. A higher percentage of a rollout only adds end users.
 */
export type ChosenVersion = { version: number; rolloutId: string | null };

type Agent = Pick<AgentForTurns, 'version' | 'rollout'>;

export function chooseVersion(
  { version: live, rollout }: Agent,
  chosen: number | undefined,
  endUserId: string,
): ChosenVersion {
  if (chosen !== undefined) return { version: chosen, rolloutId: null };
  if (rollout === null) return { version: live, rolloutId: null };
  const isIn = placeOf(rollout.id, endUserId) < rollout.percent / 100;
  return { version: isIn ? rollout.version : live, rolloutId: rollout.id };
}

/**
 * Returns the place of an end user in a rollout, which is evenly spread over 0 to 1 and independent of other rollouts.
 */
const placeOf = (rolloutId: string, endUserId: string): number =>
  createHash('sha256').update(`${rolloutId} ${endUserId}`).digest().readUInt32BE(0) / 2 ** 32;

const chosenFor = (agent: Agent, run: Pick<ClaimedRun, 'input' | 'end_user'>): ChosenVersion =>
  chooseVersion(agent, run.input.agent_version, run.end_user.id);

/**
 * The rollout to which a turn belongs. Null: the turn belongs to no rollout. A rollout is a part of every version of
 * the agent.
 */
export const rolloutOf = ({ rollout }: Agent, { input }: Pick<ClaimedRun, 'input'>): string | null =>
  input.agent_version === undefined ? (rollout?.id ?? null) : null;

/** The agent with the version that answers this run. */
export async function loadForRun(
  load: LoadAgent,
  run: Pick<ClaimedRun, 'org_id' | 'agent_id' | 'agent_revision' | 'input' | 'end_user'>,
): Promise<LoadedAgent> {
  const live = await load(run.org_id, run.agent_id, run.agent_revision);
  const { version } = chosenFor(live.agent, run);
  return version === live.agent.version ? live : load(run.org_id, run.agent_id, run.agent_revision, version);
}

/** Returns the version with which a turn failed. Null: the agent could not be loaded. */
export async function readChoice(
  load: LoadAgent,
  run: Parameters<typeof loadForRun>[1],
): Promise<ChosenVersion | null> {
  const live = await load(run.org_id, run.agent_id, run.agent_revision).catch(() => null);
  return live && chosenFor(live.agent, run);
}
