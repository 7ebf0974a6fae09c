import type pg from 'pg';
import type { AgentDefinition } from '../../../contract/agents.ts';

export type AgentForTurns = {
  id: string;
  name: string;
  revision: number;
  definition: AgentDefinition;
  documents: { id: string; name: string; text: string }[];
};

/** The published agent with its documents, as of one revision. */
export async function readAgentForTurns(pool: pg.Pool, orgId: string, agentId: string): Promise<AgentForTurns | null> {
  const found = await pool.query<AgentForTurns>({
    name: 'read-agent-for-turns',
    text: `SELECT a.id, a.name, a.revision, a.published AS definition,
        coalesce((SELECT json_agg(json_build_object('id', d.id, 'name', d.name, 'text', d.text) ORDER BY d.id)
          FROM document d WHERE d.org_id = a.org_id AND d.agent_id = a.id), '[]') AS documents
      FROM agent a WHERE a.org_id = $1 AND a.id = $2`,
    values: [orgId, agentId],
  });
  return found.rows[0] ?? null;
}
