import type pg from 'pg';
import { named, rowsOf } from '../named-statement.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import type { SendCall } from './send-call.ts';

/** The stored records for the address or conversation ID in a call. */
export type Addressed = { conversation: KnownConversation | null; identityOf: string | null };
export type KnownConversation = { id: string; end_user_id: string; address: string | null };

const WANTED = { n: 'int', org: 'text', agent: 'text', channel: 'text' };
const BY_ID = rowsOf('w', { ...WANTED, id: 'text' }, 'by_id_');
const BY_ADDRESS = rowsOf('w', { ...WANTED, address: 'text' }, 'by_address_');

const ADDRESSED = named(
  'read-addressed',
  { ...BY_ID.types, ...BY_ADDRESS.types },
  `SELECT w.n, c.id, c.end_user_id, c.address, NULL AS identity_of
FROM ${BY_ID.from}
JOIN conversation c ON c.org_id = w.org AND c.id = w.id AND c.agent_id = w.agent AND c.channel_id = w.channel
UNION ALL
SELECT w.n, c.id, c.end_user_id, c.address, i.end_user_id
FROM ${BY_ADDRESS.from}
LEFT JOIN identity i ON i.org_id = w.org AND i.channel_id = w.channel AND i.address = w.address
LEFT JOIN LATERAL (SELECT id, end_user_id, address FROM conversation c
  WHERE c.org_id = w.org AND c.channel_id = w.channel AND c.address = w.address ORDER BY c.id DESC LIMIT 1) c ON true`,
);

/**
 * One round trip reads the records for all calls with an address or a conversation. Without such calls, the function
 * needs no round trip.
 */
export async function readAddressed<Call extends Pick<SendCall, 'orgId' | 'agentId' | 'channelId' | 'to'>>(
  client: pg.Pool | pg.PoolClient,
  calls: readonly Call[],
): Promise<Map<Call, Addressed>> {
  const byId = calls.flatMap((call, n) =>
    'conversationId' in call.to ? [{ n, call, v: call.to.conversationId }] : [],
  );
  const byAddress = calls.flatMap((call, n) => ('address' in call.to ? [{ n, call, v: call.to.address }] : []));
  if (byId.length + byAddress.length === 0) return new Map();
  const found = await client.query<
    { n: number; identity_of: string | null } & (KnownConversation | { id: null; end_user_id: null; address: null })
  >(
    ADDRESSED({
      by_id_n: byId.map(({ n }) => n),
      by_id_org: byId.map(({ call }) => call.orgId),
      by_id_agent: byId.map(({ call }) => call.agentId),
      by_id_channel: byId.map(({ call }) => call.channelId),
      by_id_id: byId.map(({ v }) => v),
      by_address_n: byAddress.map(({ n }) => n),
      by_address_org: byAddress.map(({ call }) => call.orgId),
      by_address_agent: byAddress.map(({ call }) => call.agentId),
      by_address_channel: byAddress.map(({ call }) => call.channelId),
      by_address_address: byAddress.map(({ v }) => v),
    }),
  );
  return new Map(
    found.rows.map(({ n, identity_of, id, end_user_id, address }) => [
      calls[n]!,
      { conversation: id === null ? null : { id, end_user_id, address }, identityOf: identity_of },
    ]),
  );
}

/** The known facts about a person on a channel. */
export type Standing = {
  blocked: boolean;
  consent: string | null;
  /** The person's address on the channel. The address in the call has priority. */
  address: string | null;
  last_inbound_at: Date | null;
  /** The newest conversation with the person on the channel. */
  conversation_id: string | null;
  conversation_address: string | null;
};

export const STANDING = `
SELECT w.n, e.blocked, e.consent -> w.kind ->> 'status' AS consent, i.address, i.last_inbound_at,
  c.id AS conversation_id, c.address AS conversation_address
FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
  AS w(n, org, channel, kind, end_user, address)
JOIN end_user e ON e.org_id = w.org AND e.id = w.end_user
LEFT JOIN LATERAL (SELECT address, last_inbound_at FROM identity i
  WHERE i.org_id = w.org AND i.end_user_id = w.end_user AND ${checkedOnly('i.channel_id')} = w.channel
    AND (w.address IS NULL OR i.address = w.address)
  ORDER BY i.last_inbound_at DESC NULLS LAST LIMIT 1) i ON true
LEFT JOIN LATERAL (SELECT id, address FROM conversation c
  WHERE w.address IS NULL AND ${checkedOnly('c.org_id')} = w.org AND c.end_user_id = w.end_user AND c.channel_id = w.channel
  ORDER BY c.id DESC LIMIT 1) c ON true`;

export type StandingQuery = {
  orgId: string;
  channelId: string;
  kind: string;
  endUserId: string;
  address: string | null;
};

/**
 * Consent, address and conversation of stored people, in the requested order. The result is undefined for an unknown
 * person.
 */
export async function readStandings(
  client: pg.Pool | pg.PoolClient,
  wanted: readonly StandingQuery[],
): Promise<(Standing | undefined)[]> {
  if (wanted.length === 0) return [];
  const found = await client.query<Standing & { n: number }>({
    name: 'read-standings',
    text: STANDING,
    values: [
      wanted.map((_, n) => n),
      wanted.map((one) => one.orgId),
      wanted.map((one) => one.channelId),
      wanted.map((one) => one.kind),
      wanted.map((one) => one.endUserId),
      wanted.map((one) => one.address),
    ],
  });
  const standings: (Standing | undefined)[] = wanted.map(() => undefined);
  for (const row of found.rows) standings[row.n] = row;
  return standings;
}

/** Returns the messages that exist in the given conversations. */
export async function readReplies(
  client: pg.PoolClient,
  wanted: readonly { orgId: string; conversationId: string; messageId: string }[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const found = await client.query<{ id: string }>({
    name: 'read-replies',
    text: `SELECT m.id FROM unnest($1::text[], $2::text[], $3::text[]) AS w(org, conversation, id)
      JOIN message m ON m.org_id = w.org AND m.id = w.id AND m.conversation_id = w.conversation`,
    values: [
      wanted.map((one) => one.orgId),
      wanted.map((one) => one.conversationId),
      wanted.map((one) => one.messageId),
    ],
  });
  return new Set(found.rows.map((row) => row.id));
}
