import type pg from 'pg';
import type { AcceptCall } from './accept-call.ts';

/** The conversation that has a caller's own key now. */
export type KeyedConversation = {
  org_id: string;
  id: string;
  agent_id: string;
  key: string;
  channel_id: string;
  end_user_id: string;
  status: string;
  run_id: string | null;
};

const FIND = `
SELECT c.org_id, c.id, c.agent_id, c.key, c.channel_id, c.end_user_id, c.status, c.run_id
FROM conversation c
JOIN unnest($1::text[], $2::text[], $3::text[]) AS w(org, agent, key)
  ON c.org_id = w.org AND c.agent_id = w.agent AND c.key = w.key`;

export const conversationKey = (orgId: string, agentId: string, key: string): string => `${orgId} ${agentId} ${key}`;

/**
 * The conversations that these calls may continue, by `conversationKey`. They need one round trip, or none without
 * keys.
 */
export async function readKeyedConversations(
  client: pg.Pool | pg.PoolClient,
  calls: readonly Pick<AcceptCall, 'orgId' | 'agentId' | 'conversation'>[],
): Promise<Map<string, KeyedConversation>> {
  const keyed = calls.filter((call) => call.conversation !== null);
  if (keyed.length === 0) return new Map();
  const found = await client.query<KeyedConversation>({
    name: 'find-keyed-conversations',
    text: FIND,
    values: [
      keyed.map((call) => call.orgId),
      keyed.map((call) => call.agentId),
      keyed.map((call) => call.conversation!.key),
    ],
  });
  return new Map(found.rows.map((row) => [conversationKey(row.org_id, row.agent_id, row.key), row]));
}
