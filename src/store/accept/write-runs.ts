import type pg from 'pg';
import type { AcceptCall, NewRun, StoredAnswer } from './call.ts';
import { PERSON_COLUMNS, peopleLost, peopleOf, personColumns, writePeople } from './end-user-rows.ts';
import type { KeyedConversation } from './resolve-conversations.ts';
import type { EndUserRow } from './resolve-end-users.ts';
import { textArray } from './text-array.ts';

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
const MADE = 27;
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
  SELECT g.* FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS g(n, org_id, key_id, agent_id, trigger_id, channel_id)
  JOIN organization o ON o.id = g.org_id AND o.plan = 'paid'
  JOIN agent a ON a.org_id = g.org_id AND a.id = g.agent_id AND a.enabled AND a.deleted_at IS NULL
  JOIN trigger t ON t.org_id = g.org_id AND t.id = g.trigger_id AND t.enabled AND t.deleted_at IS NULL
  JOIN channel c ON c.org_id = g.org_id AND c.id = g.channel_id AND c.enabled AND c.deleted_at IS NULL
  LEFT JOIN api_key k ON k.org_id = g.org_id AND k.id = g.key_id
    AND k.revoked_at IS NULL AND (k.revoke_at IS NULL OR k.revoke_at > now())
  WHERE g.key_id IS NULL OR k.id IS NOT NULL
), call AS MATERIALIZED (
  SELECT g.org_id, g.agent_id, g.trigger_id, g.channel_id, $7::timestamptz AS created_at, c.*
  FROM unnest($8::int[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
    $16::timestamptz[], $17::text[], $18::text[], $19::bytea[], $20::bytea[], $21::text[], $22::text[], $23::text[],
    $24::bool[], $25::bool[], $26::text[])
    AS c(gate, run_id, conversation_id, end_user_id, address, key, locale, input,
      send_at, request_id, message, scope, request, location, body, message_id, goes_on, silent, overtakes)
  JOIN gate g ON g.n = c.gate
), idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, location, body, created_at)
  SELECT org_id, scope, request, 202, location, body, created_at FROM call WHERE scope IS NOT NULL ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT call.* FROM call
  WHERE scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = call.org_id AND idem.scope = call.scope)
), ${writePeople(MADE, CHANGED)}, released AS (
  UPDATE conversation c SET key = NULL
  FROM unnest($${RELEASED}::text[], $${RELEASED + 1}::text[], $${RELEASED + 2}::text[]) AS r(org_id, id, run_id)
  WHERE c.org_id = r.org_id AND c.id = r.id AND c.key IS NOT NULL AND r.run_id IN (SELECT run_id FROM go)
  RETURNING c.id
), begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, key, locale, run_id, unanswered, created_at, updated_at)
  SELECT org_id, conversation_id, agent_id, channel_id, end_user_id, address, key, locale, run_id,
    CASE WHEN message_id IS NULL OR send_at IS NOT NULL THEN '{}'::text[] ELSE ARRAY[message_id] END, created_at, created_at
  FROM go WHERE goes_on IS NULL AND (SELECT count(*) FROM released) >= 0
  ON CONFLICT DO NOTHING RETURNING id
), continued AS (
  UPDATE conversation c SET run_id = CASE WHEN go.send_at IS NULL THEN go.run_id ELSE c.run_id END, version = c.version + 1, updated_at = go.created_at,
    status = CASE WHEN go.silent IS NOT NULL THEN c.status ELSE 'open' END,
    unanswered = CASE WHEN go.message_id IS NULL OR go.silent IS NOT NULL OR go.send_at IS NOT NULL THEN c.unanswered ELSE c.unanswered || go.message_id END
  FROM go WHERE go.goes_on AND c.org_id = go.org_id AND c.id = go.conversation_id
    AND (c.status = 'handed_off') = (go.silent IS NOT NULL) AND c.key = go.key AND c.run_id IS NOT DISTINCT FROM go.overtakes
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
  SELECT org_id, run_id, trigger_id, conversation_id,
    CASE WHEN silent THEN 'handed_off' WHEN send_at IS NOT NULL THEN 'scheduled' ELSE 'queued' END,
    input::jsonb, request_id, created_at, send_at, CASE WHEN silent THEN NULL ELSE coalesce(send_at, now()) END
  FROM go RETURNING id
)
SELECT id,
  CASE WHEN ${peopleLost(MADE, CHANGED)}
    OR (SELECT count(*) FROM begun) + (SELECT count(*) FROM continued) <> (SELECT count(*) FROM go)
  THEN parley_lost_race() END AS lost
FROM accepted`;

/** SQLSTATE of `parley_lost_race()`. */
export const LOST_RACE = 'PY001';

/** Writes the batch, all of it `at` the same moment; returns the ids of the runs that were written. The others were
 * fenced off or are replays. */
export async function writeRuns(
  client: pg.Pool | pg.PoolClient,
  planned: readonly PlannedCall[],
  at: Date,
): Promise<Set<string>> {
  const gates = gatesOf(planned);
  const { made, changed } = peopleOf(planned.map(({ endUser }) => endUser));
  const releases = planned.flatMap((plan) => (plan.releases === null ? [] : [{ ...plan.releases, run: plan.run.id }]));
  const written = await client.query<{ id: string }>({
    name: 'write-runs',
    text: WRITE,
    values: [
      ...gates.columns,
      at,
      ...callColumns(planned, gates.of),
      ...personColumns(made, () => at),
      ...personColumns(changed, (row) => row.updated_at),
      textArray(releases.map((released) => released.org_id)),
      textArray(releases.map((released) => released.id)),
      textArray(releases.map((released) => released.run)),
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
    textArray(calls.map((call) => call.orgId)),
    textArray(calls.map((call) => call.keyId)),
    textArray(calls.map((call) => call.agentId)),
    textArray(calls.map((call) => call.triggerId)),
    textArray(calls.map((call) => call.channelId)),
  ];
  return { of, columns };
}

function callColumns(planned: readonly PlannedCall[], gates: number[]): unknown[] {
  const column = (value: (plan: PlannedCall) => string | null) => textArray(planned.map(value));
  return [
    `{${gates.join(',')}}`,
    column(({ run }) => run.id),
    column(({ run }) => run.conversationId),
    column(({ run }) => run.endUserId),
    column(({ call }) => call.address),
    column(({ call }) => call.conversation?.key ?? null),
    column(({ endUser }) => endUser?.locale ?? null),
    column(({ call, messageId }) =>
      JSON.stringify(messageId === null ? call.input : { ...call.input, message_id: messageId }),
    ),
    column(({ call }) => call.sendAt?.toISOString() ?? null),
    column(({ call }) => call.requestId),
    column(({ call }) => (call.message === null ? null : JSON.stringify({ type: 'text', text: call.message }))),
    column(({ call }) => bytes(call.idempotency?.scope)),
    column(({ call }) => bytes(call.idempotency?.request)),
    column(({ call, answer }) => (call.idempotency ? answer.location : null)),
    column(({ call, answer }) => (call.idempotency ? answer.body : null)),
    column(({ messageId }) => messageId),
    column(({ continues }) => (continues === null ? null : 'true')),
    column(({ continues }) => (continues?.status === 'handed_off' ? 'true' : null)),
    column(({ continues }) => continues?.run_id ?? null),
  ];
}

const bytes = (value: Buffer | undefined): string | null => (value ? `\\x${value.toString('hex')}` : null);
