import type pg from 'pg';
import type { AcceptCall } from './accept-call.ts';

/** A conversation that a call names by the caller's own key or by the conversation's ID. */
export type KeyedConversation = {
  org_id: string;
  id: string;
  agent_id: string;
  key: string | null;
  client_mark: string | null;
  channel_id: string;
  end_user_id: string;
  status: string;
  run_id: string | null;
};

const COLUMNS = 'c.org_id, c.id, c.agent_id, c.key, c.client_mark, c.channel_id, c.end_user_id, c.status, c.run_id';
const FIND = `
SELECT ${COLUMNS}
FROM conversation c
JOIN unnest($1::text[], $2::text[], $3::text[]) AS w(org, agent, key)
  ON c.org_id = w.org AND c.agent_id = w.agent AND c.key = w.key`;
const FIND_BY_ID = `
SELECT ${COLUMNS}
FROM conversation c
JOIN unnest($1::text[], $2::text[], $3::text[]) AS w(org, agent, id)
  ON c.org_id = w.org AND c.id = w.id AND c.agent_id = w.agent`;

type Meant = Pick<AcceptCall, 'orgId' | 'agentId' | 'conversation'>;

/** Returns the name of the conversation that a call means. Null: the call starts a new conversation. */
export function conversationNameOf({ orgId, agentId, conversation }: Meant): string | null {
  if (conversation === null) return null;
  return 'id' in conversation ? nameOfId(orgId, agentId, conversation.id) : nameOfKey(orgId, agentId, conversation.key);
}

const nameOfKey = (orgId: string, agentId: string, key: string): string => `${orgId} ${agentId} key ${key}`;
const nameOfId = (orgId: string, agentId: string, id: string): string => `${orgId} ${agentId} id ${id}`;

/**
 * Returns the conversations that the calls may continue, by `conversationNameOf`. The function makes one round trip for
 * keys, and one for IDs.
 */
export async function readKeyedConversations(
  client: pg.Pool | pg.PoolClient,
  calls: readonly Meant[],
): Promise<Map<string, KeyedConversation>> {
  const named = new Map<string, KeyedConversation>();
  const keyed = calls.flatMap(({ orgId, agentId, conversation }) =>
    conversation !== null && 'key' in conversation ? [{ orgId, agentId, name: conversation.key }] : [],
  );
  const byId = calls.flatMap(({ orgId, agentId, conversation }) =>
    conversation !== null && 'id' in conversation ? [{ orgId, agentId, name: conversation.id }] : [],
  );
  const find = async (name: string, text: string, wanted: typeof keyed): Promise<KeyedConversation[]> => {
    if (wanted.length === 0) return [];
    const values = [
      wanted.map((each) => each.orgId),
      wanted.map((each) => each.agentId),
      wanted.map((each) => each.name),
    ];
    return (await client.query<KeyedConversation>({ name, text, values })).rows;
  };
  for (const row of await find('find-keyed-conversations', FIND, keyed))
    named.set(nameOfKey(row.org_id, row.agent_id, row.key!), row);
  for (const row of await find('find-conversations-by-id', FIND_BY_ID, byId))
    named.set(nameOfId(row.org_id, row.agent_id, row.id), row);
  return named;
}
