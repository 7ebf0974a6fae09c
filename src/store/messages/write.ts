import type pg from 'pg';
import type { StoredAnswer } from '../runs/accept-call.ts';
import { accept, acceptingStatement } from '../fence/fence.ts';
import { PERSON_COLUMNS, peopleLost, peopleOf, personColumns, writePeople } from '../end-users/rows.ts';
import type { EndUserRow } from '../end-users/resolve.ts';
import type { NewMessage, SendCall } from './send-call.ts';

/** A send whose person and conversation are known: everything its rows need. */
export type PlannedSend = {
  call: SendCall;
  message: NewMessage;
  answer: StoredAnswer;
  /** The person's row if this batch creates or changes it. */
  endUser: EndUserRow | null;
  /** This batch creates the conversation; calls of one batch to one person share it. */
  fresh: boolean;
  address: string | null;
  /** The channel does not know this address of the person yet. */
  introduces: boolean;
};

/** Parameters of the statement before those of the people. */
const MADE = 27;
const CHANGED = MADE + PERSON_COLUMNS;

/** The records that a send depends on. A disabled agent's channels can still send. */
export const SEND = { agent: 'there', channel: 'on' } as const;

/**
 * Like src/store/runs/write.ts, for messages: gate (the fence), idempotency, and only then rows; undone completely when
 * a race is lost.
 */
const WRITE = acceptingStatement<{ id: string }>(
  'write-messages',
  {
    rows: `unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS g(n, org_id, key_id, came_from, agent_id, channel_id)`,
    needs: SEND,
    paidPlanFor: 'everybody',
    columns: 'g.n',
  },
  `call AS MATERIALIZED (
  SELECT * FROM unnest($7::int[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
    $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[], $20::timestamptz[],
    $21::bytea[], $22::bytea[], $23::text[], $24::text[], $25::bool[], $26::bool[])
    AS c(gate, org_id, message_id, agent_id, channel_id, conversation_id, end_user_id, address,
      content, status, reply_to, metadata, created_at, send_at, scope, request,
      location, body, fresh, introduces)
), idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, location, body, created_at)
  SELECT org_id, scope, request, 202, location, body, created_at FROM call
  WHERE scope IS NOT NULL AND gate IN (SELECT n FROM gate) ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT call.* FROM call WHERE gate IN (SELECT n FROM gate)
    AND (scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = call.org_id AND idem.scope = call.scope))
), ${writePeople(MADE, CHANGED)}, introduced AS (
  INSERT INTO identity (org_id, channel_id, address, end_user_id)
  SELECT DISTINCT ON (org_id, channel_id, address) org_id, channel_id, address, end_user_id FROM go WHERE introduces
  ON CONFLICT DO NOTHING RETURNING address
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
  CASE WHEN ${peopleLost(MADE, CHANGED)}
    OR (SELECT count(*) FROM introduced) <> (SELECT count(DISTINCT (channel_id, address)) FROM go WHERE introduces)
    OR (SELECT count(*) FROM begun) <> (SELECT count(DISTINCT conversation_id) FROM go WHERE fresh)
  THEN parley_lost_race() END AS lost
FROM accepted`,
);

/** Writes the batch; returns the ids of the written messages. The fence stopped the others, or they are replays. */
export async function writeMessages(client: pg.PoolClient, planned: readonly PlannedSend[]): Promise<Set<string>> {
  const gates = gatesOf(planned);
  const { made, changed } = peopleOf(planned.map(({ endUser }) => endUser));
  const now = planned[0]?.message.createdAt ?? new Date();
  const written = await accept(client, WRITE, [
    ...gates.columns,
    ...callColumns(planned, gates.of),
    ...personColumns(made, () => now),
    ...personColumns(changed, (row) => row.updated_at),
  ]);
  return new Set(written.rows.map((row) => row.id));
}

/** Calls with the same key, address, agent and channel pass the same gate, checked once. */
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
  const columns = [
    calls.map((_, index) => index),
    calls.map((call) => call.orgId),
    calls.map((call) => call.keyId),
    calls.map((call) => call.from),
    calls.map((call) => call.agentId),
    calls.map((call) => call.channelId),
  ];
  return { of, columns };
}

const callColumns = (planned: readonly PlannedSend[], gates: number[]): unknown[] => [
  gates,
  planned.map(({ call }) => call.orgId),
  planned.map(({ message }) => message.id),
  planned.map(({ call }) => call.agentId),
  planned.map(({ call }) => call.channelId),
  planned.map(({ message }) => message.conversationId),
  planned.map(({ message }) => message.endUserId),
  planned.map(({ address }) => address),
  planned.map(({ call }) => JSON.stringify(call.content)),
  planned.map(({ message }) => message.status),
  planned.map(({ call }) => call.replyTo),
  planned.map(({ call }) => call.metadata && JSON.stringify(call.metadata)),
  planned.map(({ message }) => message.createdAt),
  planned.map(({ call }) => call.sendAt),
  planned.map(({ call }) => call.idempotency?.scope ?? null),
  planned.map(({ call }) => call.idempotency?.request ?? null),
  planned.map(({ answer }) => answer.location),
  planned.map(({ answer }) => answer.body),
  planned.map(({ fresh }) => fresh),
  planned.map(({ introduces }) => introduces),
];
