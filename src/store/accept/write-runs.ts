import type pg from 'pg';
import type { AcceptCall, NewRun, StoredAnswer } from './call.ts';
import { PERSON_COLUMNS, peopleLost, peopleOf, personColumns, writePeople } from './end-user-rows.ts';
import type { KeyedConversation } from './resolve-conversations.ts';
import type { EndUserRow } from './resolve-end-users.ts';

/** A call whose person and conversation are known: everything its rows need. */
export type PlannedCall = {
  call: AcceptCall;
  run: NewRun;
  answer: StoredAnswer;
  endUser: EndUserRow | null;
  /** The conversation that goes on; null: a new one is made. */
  continues: KeyedConversation | null;
  /** The conversation that loses its key to the new one. */
  releases: KeyedConversation | null;
  messageId: string | null;
};

/** Numbers of the first parameters of people and of released conversations. */
const MADE = 32;
const CHANGED = MADE + PERSON_COLUMNS;
const RELEASED = CHANGED + PERSON_COLUMNS;

/**
 * One statement, so one round trip and one transaction, for all calls of a batch:
 *   gate   who may still be accepted, read at this moment: the fence against a key, plan, agent, trigger or channel
 *          that was switched off after the caller was checked in memory;
 *   idem   the first to write an Idempotency-Key goes on, a second one finds it taken and writes nothing;
 *   go     the calls that pass both. Only they leave rows.
 * Rows are locked in one order everywhere, end user, conversation, run, so that nobody waits in a ring.
 * If a row is in the way that the plan did not know (another node was faster), the whole statement is undone and the
 * batch is planned anew. Rows come as one array for each column: planning stays the same for 1 call and for 200.
 */
const WRITE = `
WITH gate AS MATERIALIZED (
  SELECT g.n FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS g(n, org_id, key_id, agent_id, trigger_id, channel_id)
  JOIN organization o ON o.id = g.org_id AND o.plan = 'paid'
  JOIN agent a ON a.org_id = g.org_id AND a.id = g.agent_id AND a.enabled AND a.deleted_at IS NULL
  JOIN trigger t ON t.org_id = g.org_id AND t.id = g.trigger_id AND t.enabled AND t.deleted_at IS NULL
  JOIN channel c ON c.org_id = g.org_id AND c.id = g.channel_id AND c.enabled AND c.deleted_at IS NULL
  LEFT JOIN api_key k ON k.org_id = g.org_id AND k.id = g.key_id
    AND k.revoked_at IS NULL AND (k.revoke_at IS NULL OR k.revoke_at > now())
  WHERE g.key_id IS NULL OR k.id IS NOT NULL
), call AS MATERIALIZED (
  SELECT * FROM unnest($7::int[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::timestamptz[], $21::timestamptz[], $22::text[],
    $23::text[], $24::bytea[], $25::bytea[], $26::text[], $27::text[], $28::bool[], $29::bool[], $30::text[], $31::text[])
    AS c(gate, org_id, run_id, agent_id, trigger_id, channel_id, conversation_id, end_user_id,
      address, key, locale, status, input, created_at, send_at, request_id,
      message, scope, request, location, body, fresh, silent, message_id, overtakes)
), idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, location, body, created_at)
  SELECT org_id, scope, request, 202, location, body, created_at FROM call
  WHERE scope IS NOT NULL AND gate IN (SELECT n FROM gate) ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT call.* FROM call WHERE gate IN (SELECT n FROM gate)
    AND (scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = call.org_id AND idem.scope = call.scope))
), ${writePeople(MADE, CHANGED)}, released AS (
  UPDATE conversation c SET key = NULL
  FROM unnest($${RELEASED}::text[], $${RELEASED + 1}::text[], $${RELEASED + 2}::text[]) AS r(org_id, id, run_id)
  WHERE c.org_id = r.org_id AND c.id = r.id AND c.key IS NOT NULL AND r.run_id IN (SELECT run_id FROM go)
  RETURNING c.id
), begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, key, locale, run_id, unanswered, created_at, updated_at)
  SELECT org_id, conversation_id, agent_id, channel_id, end_user_id, address, key, locale, run_id,
    CASE WHEN message_id IS NULL OR send_at IS NOT NULL THEN '{}'::text[] ELSE ARRAY[message_id] END, created_at, created_at
  FROM go WHERE fresh AND (SELECT count(*) FROM released) >= 0
  ON CONFLICT DO NOTHING RETURNING id
), continued AS (
  UPDATE conversation c SET run_id = CASE WHEN go.send_at IS NULL THEN go.run_id ELSE c.run_id END, version = c.version + 1, updated_at = go.created_at,
    status = CASE WHEN go.silent THEN c.status ELSE 'open' END,
    unanswered = CASE WHEN go.message_id IS NULL OR go.silent OR go.send_at IS NOT NULL THEN c.unanswered ELSE c.unanswered || go.message_id END
  FROM go WHERE NOT go.fresh AND c.org_id = go.org_id AND c.id = go.conversation_id
    AND (c.status = 'handed_off') = go.silent AND c.key = go.key AND c.run_id IS NOT DISTINCT FROM go.overtakes
  RETURNING c.org_id, c.id
), overtaken AS (
  UPDATE run r SET status = 'completed', reason = 'continued', finished_at = go.created_at, due_at = NULL, lease = NULL
  FROM go JOIN continued c ON c.org_id = go.org_id AND c.id = go.conversation_id
  WHERE go.send_at IS NULL AND r.org_id = go.org_id AND r.id = go.overtakes AND r.status IN ('waiting_for_user', 'handed_off')
), said AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, created_at)
  SELECT org_id, message_id, conversation_id, run_id, 'end_user', message::jsonb, created_at FROM go WHERE message_id IS NOT NULL
), accepted AS (
  INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, request_id, created_at, send_at, due_at)
  SELECT org_id, run_id, trigger_id, conversation_id, status, input::jsonb, request_id, created_at, send_at,
    CASE WHEN silent THEN NULL ELSE coalesce(send_at, now()) END
  FROM go RETURNING id
)
SELECT id,
  CASE WHEN ${peopleLost(MADE, CHANGED)}
    OR (SELECT count(*) FROM begun) + (SELECT count(*) FROM continued) <> (SELECT count(*) FROM go)
  THEN parley_lost_race() END AS lost
FROM accepted`;

/** SQLSTATE of `parley_lost_race()`. */
export const LOST_RACE = 'PY001';

/** Writes the batch; returns the ids of the runs that were written. The others were fenced off or are replays. */
export async function writeRuns(
  client: pg.Pool | pg.PoolClient,
  planned: readonly PlannedCall[],
): Promise<Set<string>> {
  const gates = gatesOf(planned);
  const { made, changed } = peopleOf(planned.map(({ endUser }) => endUser));
  const now = planned[0]?.run.createdAt ?? new Date();
  const releases = planned.filter((plan) => plan.releases !== null);
  const written = await client.query<{ id: string }>({
    name: 'write-runs',
    text: WRITE,
    values: [
      ...gates.columns,
      ...callColumns(planned, gates.of),
      ...personColumns(made, () => now),
      ...personColumns(changed, (row) => row.updated_at),
      releases.map((plan) => plan.releases!.org_id),
      releases.map((plan) => plan.releases!.id),
      releases.map((plan) => plan.run.id),
    ],
  });
  return new Set(written.rows.map((row) => row.id));
}

/** Calls with the same key, agent, trigger and channel pass the same gate, checked once. */
function gatesOf(planned: readonly PlannedCall[]) {
  const numbers = new Map<string, number>();
  const calls: AcceptCall[] = [];
  const of = planned.map(({ call }) => {
    const name = `${call.keyId} ${call.triggerId} ${call.channelId}`;
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
    calls.map((call) => call.agentId),
    calls.map((call) => call.triggerId),
    calls.map((call) => call.channelId),
  ];
  return { of, columns };
}

function callColumns(planned: readonly PlannedCall[], gates: number[]): unknown[] {
  return [
    gates,
    planned.map(({ call }) => call.orgId),
    planned.map(({ run }) => run.id),
    planned.map(({ call }) => call.agentId),
    planned.map(({ call }) => call.triggerId),
    planned.map(({ run }) => run.channelId),
    planned.map(({ run }) => run.conversationId),
    planned.map(({ run }) => run.endUserId),
    planned.map(({ call }) => call.address),
    planned.map(({ call }) => call.conversation?.key ?? null),
    planned.map(({ endUser }) => endUser?.locale ?? null),
    planned.map(({ run }) => run.status),
    planned.map(({ call, messageId }) =>
      JSON.stringify(messageId === null ? call.input : { ...call.input, message_id: messageId }),
    ),
    planned.map(({ run }) => run.createdAt),
    planned.map(({ call }) => call.sendAt),
    planned.map(({ call }) => call.requestId),
    planned.map(({ call }) => (call.message === null ? null : JSON.stringify({ type: 'text', text: call.message }))),
    planned.map(({ call }) => call.idempotency?.scope ?? null),
    planned.map(({ call }) => call.idempotency?.request ?? null),
    planned.map(({ answer }) => answer.location),
    planned.map(({ answer }) => answer.body),
    planned.map(({ continues }) => continues === null),
    planned.map(({ continues }) => continues?.status === 'handed_off'),
    planned.map(({ messageId }) => messageId),
    planned.map(({ continues }) => continues?.run_id ?? null),
  ];
}
