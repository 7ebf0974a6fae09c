import { Refusal } from '../../../contract/problems.ts';
import { findCallableTrigger, listCallableAgents as listRows } from '../../store/triggers.ts';
import type { TriggersDeps } from './deps.ts';

/** Lists the agents that a call can name without naming a trigger. `agentId`: lists only this agent. */
export const listCallableAgents = ({ db }: Pick<TriggersDeps, 'db'>, orgId: string, agentId: string | null) =>
  listRows(db, orgId, agentId);

/** Finds the trigger for a call that names only the agent. */
export async function chooseTrigger({ db }: Pick<TriggersDeps, 'db'>, orgId: string, agentId: string): Promise<string> {
  const id = await findCallableTrigger(db, orgId, agentId);
  if (id === null) throw new Refusal('trigger_not_found', 'The agent has no enabled trigger. Create one.');
  return id;
}
