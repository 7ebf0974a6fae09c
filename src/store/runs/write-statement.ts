import { type AcceptingStatement, acceptingStatement } from '../fence/fence.ts';
import { PERSON_COLUMNS, peopleLost, writePeople } from '../end-users/rows.ts';

/** What a batch needs beyond runs, conversations and anonymous people. */
export type Parts = {
  /** People with an identifier, or with changes. */
  people: boolean;
  /** Conversations with a caller's key: they may continue, or lose their key. */
  keyed: boolean;
  /** Idempotency-Keys. */
  repeatable: boolean;
  /** Messages of end users. */
  said: boolean;
};

/** A column of `call`: its name there and the type of its elements. */
type Column = { name: string; type: string };

/** The number of the first parameter that is a column of `call`; the gate and the moment come before it. */
const FIRST_COLUMN = 9;

/**
 * One statement, so one round trip and one transaction, for all calls of a batch:
 *   gate   the calls that may still be accepted, read at this moment: the fence against a key, plan, agent, trigger or
 *          channel that was disabled after the check in memory;
 *   idem   the first to write an Idempotency-Key continues, a second one finds it taken and writes nothing;
 *   go     the calls that pass both. Only they write rows.
 * Rows are locked in one order everywhere, end user, conversation, run, to avoid deadlocks.
 * If a row that the plan did not know conflicts (another node was first), the whole statement is undone and the batch
 * is re-planned. Rows come as one array per column: planning stays the same for 1 call and for 200.
 * Parts that no call of the batch needs are left out: starting one costs the database 20 to 50 µs, used or not, which
 * was a sixth of the cost of an anonymous call.
 */
function writeText(parts: Parts, columns: readonly Column[]): string {
  const { people, keyed, repeatable, said } = parts;
  const made = FIRST_COLUMN + columns.length;
  const changed = made + PERSON_COLUMNS;
  const released = changed + PERSON_COLUMNS;
  const arrays = columns.map(({ type }, index) => `$${FIRST_COLUMN + index}::${type}[]`);
  const key = keyed ? 'key' : 'NULL';
  const unanswered = said
    ? `CASE WHEN message_id IS NULL OR send_at IS NOT NULL THEN '{}'::text[] ELSE ARRAY[message_id] END`
    : `'{}'::text[]`;
  return `${repeatable ? 'call' : 'go'} AS MATERIALIZED (
  SELECT g.org_id, g.agent_id, g.trigger_id, g.channel_id, $8::timestamptz AS created_at, c.*
  FROM unnest(${arrays.join(', ')}) AS c(${columns.map(({ name }) => name).join(', ')})
  JOIN gate g ON g.n = c.gate
)${repeatable ? `, ${IDEM}` : ''}, ${people ? writePeople(made, changed) : MADE_NAMELESS}
${keyed ? `, ${releasedText(released)}` : ''}, begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, key, locale, run_id, unanswered,
    created_at, updated_at)
  SELECT org_id, conversation_id, agent_id, channel_id, end_user_id, address, ${key}, locale, run_id, ${unanswered},
    created_at, created_at
  FROM go ${keyed ? 'WHERE goes_on IS NULL AND (SELECT count(*) FROM released) >= 0' : ''}
  ON CONFLICT DO NOTHING RETURNING id
)${keyed ? `, ${continuedText(said)}` : ''}${said ? `, ${SAID}` : ''}, accepted AS (
  INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, request_id, created_at, send_at, due_at)
  SELECT org_id, run_id, trigger_id, conversation_id,
    CASE WHEN send_at IS NOT NULL THEN 'scheduled' ${keyed ? "WHEN silent THEN 'handed_off'" : ''} ELSE 'queued' END,
    input::jsonb, request_id, created_at, send_at,
    ${keyed ? 'CASE WHEN silent THEN send_at ELSE coalesce(send_at, now()) END' : 'coalesce(send_at, now())'}
  FROM go RETURNING id
)
SELECT id,
  CASE WHEN ${people ? peopleLost(made, changed) : '(SELECT count(*) FROM made) <> (SELECT count(*) FROM go)'}
    OR (SELECT count(*) FROM begun)${keyed ? ' + (SELECT count(*) FROM continued)' : ''} <> (SELECT count(*) FROM go)
  THEN parley_lost_race() END AS lost
FROM accepted`;
}

const IDEM = `idem AS (
  INSERT INTO idempotency (org_id, scope, request, status, location, body, created_at)
  SELECT org_id, scope, request, 202, location, body, created_at FROM call WHERE scope IS NOT NULL ORDER BY scope
  ON CONFLICT DO NOTHING RETURNING org_id, scope
), go AS MATERIALIZED (
  SELECT call.* FROM call
  WHERE scope IS NULL OR EXISTS (SELECT 1 FROM idem WHERE idem.org_id = call.org_id AND idem.scope = call.scope)
)`;

const MADE_NAMELESS = `made AS (
  INSERT INTO end_user (org_id, id, created_at, updated_at)
  SELECT org_id, end_user_id, created_at, created_at FROM go
  ON CONFLICT DO NOTHING RETURNING id
)`;

const releasedText = (first: number) => `released AS (
  UPDATE conversation c SET key = NULL
  FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) AS r(org_id, id, run_id)
  WHERE c.org_id = r.org_id AND c.id = r.id AND c.key IS NOT NULL AND r.run_id IN (SELECT run_id FROM go)
  RETURNING c.id
)`;

const ADDS_UNANSWERED = `, unanswered = CASE
      WHEN go.message_id IS NULL OR go.silent IS NOT NULL OR go.send_at IS NOT NULL THEN c.unanswered
      ELSE c.unanswered || go.message_id END`;

const continuedText = (said: boolean) => `continued AS (
  UPDATE conversation c
  SET run_id = CASE WHEN go.send_at IS NULL THEN go.run_id ELSE c.run_id END,
    version = c.version + 1, updated_at = go.created_at,
    status = CASE WHEN go.silent IS NOT NULL THEN c.status ELSE 'open' END
    ${said ? ADDS_UNANSWERED : ''}
  FROM go WHERE go.goes_on AND c.org_id = go.org_id AND c.id = go.conversation_id
    AND (c.status = 'handed_off') = (go.silent IS NOT NULL) AND c.key = go.key
    AND c.run_id IS NOT DISTINCT FROM go.overtakes
  RETURNING c.org_id, c.id
), overtaken AS (
  UPDATE run r SET status = 'completed', reason = 'continued', finished_at = go.created_at, due_at = NULL, lease = NULL
  FROM go JOIN continued c ON c.org_id = go.org_id AND c.id = go.conversation_id
  WHERE go.send_at IS NULL AND r.org_id = go.org_id AND r.id = go.overtakes
    AND r.status IN ('waiting_for_user', 'handed_off')
)`;

const SAID = `said AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, created_at)
  SELECT org_id, message_id, conversation_id, run_id, 'end_user', message::jsonb, created_at FROM go
    WHERE message_id IS NOT NULL
)`;

/** The records that a trigger call depends on. */
export const TRIGGER_CALL = { agent: 'on', trigger: 'on', channel: 'on' } as const;

const GATE = {
  rows: `unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS g(n, org_id, key_id, came_from, agent_id, trigger_id, channel_id)`,
  needs: TRIGGER_CALL,
  paidPlanFor: 'everybody',
  columns: 'g.*',
} as const;

/**
 * A set of parts always has the same columns of `call`. One text, and one prepared statement per connection, for each
 * set of parts.
 */
const statements = new Map<string, AcceptingStatement<{ id: string }>>();

export function statementOf(parts: Parts, columns: readonly Column[]): AcceptingStatement<{ id: string }> {
  const name = `write-runs${Object.entries(parts)
    .map(([part, needed]) => (needed ? ` ${part}` : ''))
    .join('')}`;
  let statement = statements.get(name);
  if (!statement) statements.set(name, (statement = acceptingStatement(name, GATE, writeText(parts, columns))));
  return statement;
}
