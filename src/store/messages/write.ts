import type pg from 'pg';
import type { StoredAnswer } from '../runs/accept-call.ts';
import { accept, acceptingStatement } from '../fence/fence.ts';
import { PEOPLE, PEOPLE_LOST, peopleValues, WRITE_PEOPLE } from '../end-users/write-batch.ts';
import { rowsOf } from '../named-statement.ts';
import type { EndUserRow } from '../end-users/end-user-row.ts';
import type { NewMessage, SendCall } from './send-call.ts';

/** A send whose person and conversation are known, with all data for its rows. */
export type PlannedSend = {
  call: SendCall;
  message: NewMessage;
  answer: StoredAnswer;
  /** The person's row if this batch creates or changes it. */
  endUser: EndUserRow | null;
  /** True if the batch creates the conversation. All calls of the batch to one person use this conversation. */
  fresh: boolean;
  address: string | null;
  /** True: the person has no identity with this address yet. */
  introduces: boolean;
};

const GATE = rowsOf(
  'g',
  { n: 'int', org_id: 'text', key_id: 'text', came_from: 'text', agent_id: 'text', channel_id: 'text' },
  'gate_',
);
const CALL = rowsOf('c', {
  gate: 'int',
  org_id: 'text',
  message_id: 'text',
  agent_id: 'text',
  channel_id: 'text',
  conversation_id: 'text',
  end_user_id: 'text',
  address: 'text',
  content: 'text',
  status: 'text',
  reply_to: 'text',
  metadata: 'text',
  created_at: 'timestamptz',
  send_at: 'timestamptz',
  scope: 'bytea',
  request: 'bytea',
  location: 'text',
  body: 'text',
  fresh: 'bool',
  introduces: 'bool',
  by_address: 'bool',
});

/** The records on which a send depends. The channels of a disabled agent can still send. */
export const SEND = { agent: 'there', channel: 'on' } as const;

/**
 * The statement has the same parts as in src/store/runs/write.ts, for messages: the fence (`gate`), idempotency, and
 * then the rows. If another node was faster, the whole statement is rolled back. A call that names the person keeps this
 * person even if the address belongs to another person.
 */
const WRITE = acceptingStatement(
  'write-messages',
  { ...GATE.types, ...CALL.types, ...PEOPLE },
  { rows: GATE.from, needs: SEND, paidPlanFor: 'everybody', columns: 'g.n' },
  `call AS MATERIALIZED (
  SELECT * FROM ${CALL.from}
), idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, location, body, created_at)
  SELECT org_id, scope, request, 202, location, body, created_at FROM call
  WHERE scope IS NOT NULL AND gate IN (SELECT n FROM gate) ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT call.* FROM call WHERE gate IN (SELECT n FROM gate)
    AND (scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = call.org_id AND idem.scope = call.scope))
), ${WRITE_PEOPLE}, introduced AS (
  INSERT INTO identity (org_id, channel_id, address, end_user_id)
  SELECT DISTINCT ON (org_id, channel_id, address) org_id, channel_id, address, end_user_id FROM go WHERE introduces
  ON CONFLICT DO NOTHING RETURNING channel_id, address
), begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, created_at, updated_at)
  SELECT DISTINCT ON (conversation_id) org_id, conversation_id, agent_id, channel_id, end_user_id, address,
    created_at, created_at
  FROM go WHERE fresh ORDER BY conversation_id
  RETURNING id
), accepted AS (
  INSERT INTO message (org_id, id, conversation_id, role, content, status, reply_to, metadata,
    created_at, send_at, due_at)
  SELECT org_id, message_id, conversation_id, 'agent', content::jsonb, status, reply_to, metadata::jsonb,
    created_at, send_at,
    CASE WHEN status = 'queued' THEN coalesce(send_at, now()) END
  FROM go RETURNING id
)
SELECT id,
  CASE WHEN ${PEOPLE_LOST}
    OR EXISTS (SELECT 1 FROM go WHERE introduces AND by_address
      AND NOT EXISTS (SELECT 1 FROM introduced i WHERE i.channel_id = go.channel_id AND i.address = go.address))
    OR (SELECT count(*) FROM begun) <> (SELECT count(DISTINCT conversation_id) FROM go WHERE fresh)
  THEN parley_lost_race() END AS lost
FROM accepted`,
);

/**
 * Writes the batch. Returns the IDs of the written messages. All other messages were stopped by the fence, or are
 * replays.
 */
export async function writeMessages(client: pg.PoolClient, planned: readonly PlannedSend[]): Promise<Set<string>> {
  const gates = gatesOf(planned);
  const people = peopleValues(
    planned.map(({ endUser }) => endUser),
    planned[0]?.message.createdAt ?? new Date(),
  );
  const query = WRITE({ ...gates.values, ...callValues(planned, gates.of), ...people });
  const written = await accept<{ id: string }>(client, query);
  return new Set(written.rows.map((row) => row.id));
}

/** Calls with the same key, address, agent and channel share one gate, which is checked once. */
function gatesOf(planned: readonly PlannedSend[]) {
  const numbers = new Map<string, number>();
  const calls: SendCall[] = [];
  const of = planned.map(({ call }) => {
    const name = `${call.keyId} ${call.from} ${call.channelId}`;
    let number = numbers.get(name);
    if (number === undefined) {
      number = calls.push(call) - 1;
      numbers.set(name, number);
    }
    return number;
  });
  const values = {
    gate_n: calls.map((_, index) => index),
    gate_org_id: calls.map((call) => call.orgId),
    gate_key_id: calls.map((call) => call.keyId),
    gate_came_from: calls.map((call) => call.from),
    gate_agent_id: calls.map((call) => call.agentId),
    gate_channel_id: calls.map((call) => call.channelId),
  };
  return { of, values };
}

const callValues = (planned: readonly PlannedSend[], gates: number[]) => ({
  gate: gates,
  org_id: planned.map(({ call }) => call.orgId),
  message_id: planned.map(({ message }) => message.id),
  agent_id: planned.map(({ call }) => call.agentId),
  channel_id: planned.map(({ call }) => call.channelId),
  conversation_id: planned.map(({ message }) => message.conversationId),
  end_user_id: planned.map(({ message }) => message.endUserId),
  address: planned.map(({ address }) => address),
  content: planned.map(({ call }) => JSON.stringify(call.content)),
  status: planned.map(({ message }) => message.status),
  reply_to: planned.map(({ call }) => call.replyTo),
  metadata: planned.map(({ call }) => call.metadata && JSON.stringify(call.metadata)),
  created_at: planned.map(({ message }) => message.createdAt),
  send_at: planned.map(({ call }) => call.sendAt),
  scope: planned.map(({ call }) => call.idempotency?.scope ?? null),
  request: planned.map(({ call }) => call.idempotency?.request ?? null),
  location: planned.map(({ answer }) => answer.location),
  body: planned.map(({ answer }) => answer.body),
  fresh: planned.map(({ fresh }) => fresh),
  introduces: planned.map(({ introduces }) => introduces),
  by_address: planned.map(({ call }) => 'address' in call.to),
});
