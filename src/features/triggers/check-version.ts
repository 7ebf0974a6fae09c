import { Refusal } from '../../../contract/problems.ts';
import { hasVersion } from '../../store/agents/versions.ts';
import type { Queryable } from '../../store/db.ts';

/** A run may use every version that was published. Null: the run uses no particular version. */
export async function checkVersion(
  db: Queryable,
  orgId: string,
  agentId: string,
  version: number | null,
): Promise<void> {
  if (version !== null && !(await hasVersion(db, orgId, agentId, version)))
    throw new Refusal('agent_version_not_found', `This agent has no version ${version}.`);
}
