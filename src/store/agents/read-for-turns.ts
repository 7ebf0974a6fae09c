import type pg from 'pg';
import type { AgentDefinition } from '../../../contract/agents.ts';

export type AgentForTurns = {
  id: string;
  name: string;
  revision: number;
  /** The version of the definition. */
  version: number;
  /** The rollout in progress. */
  rollout: { id: string; version: number; percent: number } | null;
  definition: AgentDefinition;
  /**
   * Identifies the state of the agent's documents and of the wordings of their passages. Null when the agent has no
   * documents.
   */
  edition: string | null;
  /** Total size of the texts of the documents. */
  bytes: number;
};

/**
 * The agent at one revision, with its live version or the given one. The agent's documents are read one by one, when a
 * turn needs them.
 */
export async function readAgentForTurns(
  pool: pg.Pool,
  orgId: string,
  agentId: string,
  version: number | null = null,
): Promise<AgentForTurns | null> {
  const found = await pool.query<AgentForTurns>({
    name: 'read-agent-for-turns',
    text: `SELECT a.id, a.name, a.revision, coalesce(v.version, a.version) AS version,
        coalesce(v.definition, a.published) AS definition, d.edition, d.bytes,
        (SELECT json_build_object('id', o.id, 'version', o.version, 'percent', o.percent) FROM agent_rollout o
          WHERE o.org_id = a.org_id AND o.agent_id = a.id AND o.status = 'active') AS rollout
      FROM agent a
      LEFT JOIN agent_version v ON v.org_id = a.org_id AND v.agent_id = a.id AND v.version = $3
      CROSS JOIN LATERAL (
        SELECT md5(string_agg(concat_ws(' ', d.id, extract(epoch FROM d.updated_at)), ',' ORDER BY d.id) || coalesce((
            SELECT string_agg(w.id, ',' ORDER BY w.id) FROM passage_wording w
            WHERE w.org_id = a.org_id AND w.agent_id = a.id AND w.state = 'active'
          ), '') || coalesce((
            SELECT string_agg(concat_ws(' ', q.document_id, extract(epoch FROM q.updated_at)), ',' ORDER BY q.document_id)
            FROM document_question q WHERE q.org_id = a.org_id AND q.agent_id = a.id AND q.due_at IS NULL
              AND q.written > 0
          ), '')) AS edition,
          coalesce(sum(octet_length(d.text)), 0)::float8 AS bytes
        FROM document d WHERE d.org_id = a.org_id AND d.agent_id = a.id
      ) d WHERE a.org_id = $1 AND a.id = $2`,
    values: [orgId, agentId, version],
  });
  return found.rows[0] ?? null;
}

type DocumentText = {
  id: string;
  name: string;
  text: string;
  wordings: { passage: string; question: string; section: boolean; written: boolean }[];
};

/** The agent's first document with an id after `after`. */
export async function readNextDocument(
  pool: pg.Pool,
  orgId: string,
  agentId: string,
  after: string | null,
): Promise<DocumentText | null> {
  const found = await pool.query<DocumentText>({
    name: 'read-next-document',
    text: `SELECT id, name, text, (
        SELECT coalesce(json_agg(json_build_object('passage', encode(passage, 'hex'), 'question', question,
          'section', origin = 'people', 'written', written)), '[]')
        FROM (
          SELECT passage, question, origin, false AS written FROM passage_wording w
          WHERE w.org_id = d.org_id AND w.document_id = d.id AND w.state = 'active'
          UNION ALL
          SELECT hash, unnest(questions), 'model', true FROM passage_question q
          WHERE q.org_id = d.org_id AND q.document_id = d.id
        ) w
      ) AS wordings
      FROM document d WHERE org_id = $1 AND agent_id = $2 AND id > $3 ORDER BY id LIMIT 1`,
    values: [orgId, agentId, after ?? ''],
  });
  return found.rows[0] ?? null;
}
