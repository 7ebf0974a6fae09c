import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

/** The reason of a run whose conversation a member has ended. */
export const RESOLVED = 'resolved';

/**
 * If the agent has result fields and a model, the run becomes due, and the worker completes the run when the model has
 * filled the fields. Returns false for every other run.
 */
export async function endAfterResult(tx: Queryable, orgId: string, runId: string): Promise<boolean> {
  const ending = await tx.execute(sql`
    UPDATE run r SET status = 'running', reason = ${RESOLVED}, due_at = now(), lease = NULL, attempts = 0
    FROM conversation c JOIN agent a ON a.org_id = c.org_id AND a.id = c.agent_id
    WHERE r.org_id = ${orgId} AND r.id = ${runId} AND c.org_id = ${orgId} AND c.id = r.conversation_id
      AND r.status IN ('queued', 'running', 'waiting_for_user', 'waiting_for_approval', 'handed_off')
      AND (SELECT used.definition -> 'result' IS NOT NULL
          AND coalesce(used.definition ->> 'provider', 'embedded') <> 'embedded'
        FROM (SELECT coalesce((SELECT v.definition FROM agent_version v WHERE v.org_id = a.org_id
          AND v.agent_id = a.id AND v.version = r.agent_version), a.published) AS definition) used)`);
  return (ending.rowCount ?? 0) > 0;
}
