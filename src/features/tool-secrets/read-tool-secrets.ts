import type { ToolSecretRecord } from '../../../contract/dashboard/tools.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readAgent } from '../../store/agents/read.ts';
import { listToolSecrets as listRows, type ToolSecretRow } from '../../store/tool-secrets.ts';
import type { ToolSecretsDeps } from './deps.ts';

export async function listToolSecrets(
  { db }: Pick<ToolSecretsDeps, 'db'>,
  orgId: string,
  agentId: string,
): Promise<ToolSecretRecord[]> {
  if (!(await readAgent(db, orgId, agentId))) throw new Refusal('agent_not_found');
  return (await listRows(db, orgId, agentId)).map(presentToolSecret);
}

/** The only format in which a row is returned. The output never contains secrets. */
export const presentToolSecret = (row: ToolSecretRow): ToolSecretRecord => ({
  id: row.id,
  agent_id: row.agentId,
  tool: row.tool,
  origin: row.origin,
  credentials: row.credentials,
  previous_secret_until:
    row.previousUntil && row.previousUntil.getTime() > Date.now() ? timestamp(row.previousUntil) : null,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
