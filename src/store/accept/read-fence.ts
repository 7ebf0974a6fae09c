import type pg from 'pg';
import { type ProblemCode, Refusal } from '../../../contract/problems.ts';
import { whyKeyFell } from '../access.ts';
import type { AcceptCall } from './call.ts';

/**
 * Which part of the fence a call ran into: it was checked in memory, then something was switched off before the
 * write. Same order as the checks of every call (contract, section 3).
 */
export async function readFence(client: pg.Pool | pg.PoolClient, call: AcceptCall): Promise<Refusal> {
  const found = await client.query<{ code: ProblemCode | null }>(
    `SELECT CASE
      ${whyKeyFell({ orgId: '$1', keyId: '$2', from: '$6::text' })}
      WHEN NOT EXISTS (SELECT 1 FROM organization WHERE id = $1 AND plan = 'paid') THEN 'plan_required'
      WHEN NOT EXISTS (SELECT 1 FROM agent WHERE org_id = $1 AND id = $3 AND deleted_at IS NULL) THEN 'agent_not_found'
      WHEN NOT EXISTS (SELECT 1 FROM trigger WHERE org_id = $1 AND id = $4 AND deleted_at IS NULL) THEN 'trigger_not_found'
      WHEN NOT EXISTS (SELECT 1 FROM channel WHERE org_id = $1 AND id = $5 AND deleted_at IS NULL) THEN 'channel_not_found'
      WHEN NOT EXISTS (SELECT 1 FROM agent WHERE org_id = $1 AND id = $3 AND enabled) THEN 'agent_disabled'
      WHEN NOT EXISTS (SELECT 1 FROM trigger WHERE org_id = $1 AND id = $4 AND enabled) THEN 'trigger_disabled'
      WHEN NOT EXISTS (SELECT 1 FROM channel WHERE org_id = $1 AND id = $5 AND enabled) THEN 'channel_disabled'
    END AS code`,
    [call.orgId, call.keyId, call.agentId, call.triggerId, call.channelId, call.from],
  );
  const code = found.rows[0]?.code;
  // Switched off and on again in between: nothing was written, so trying again is right.
  return code ? new Refusal(code) : new Refusal('unavailable');
}
