import type { AgentDefinition } from '../../../contract/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { AgentRow } from '../../store/agents/read.ts';
import { readAgentVersion } from '../../store/agents/versions.ts';
import type { Queryable } from '../../store/db.ts';

/** Reads the draft, or the chosen version. */
export async function chosenDefinition(
  db: Queryable,
  agent: AgentRow,
  version: number | undefined,
): Promise<AgentDefinition> {
  if (version === undefined) return agent.draft;
  const found = await readAgentVersion(db, agent.orgId, agent.id, version);
  if (!found) throw new Refusal('version_not_found');
  return found.definition;
}
