import { type AcceptingStatement, acceptingStatement } from '../fence/fence.ts';
import { PEOPLE, PEOPLE_LOST, WRITE_PEOPLE } from '../end-users/write-batch.ts';
import { marksUnanswered } from '../conversations/message-arrives.ts';
import { rowsOf } from '../named-statement.ts';
import { checkedOnly } from '../queue/join-by-key.ts';

/** The parts that a batch needs in addition to runs, conversations and anonymous people. */
export type Parts = {
  /** The batch has people with an identifier or with changes. */
  people: boolean;
  /**
   * The batch has conversations with a caller's key. The batch has conversations that may continue, or whose key may
   * move to a new conversation.
   */
  keyed: boolean;
  /** The batch has calls with an Idempotency-Key. */
  repeatable: boolean;
  /** The batch has messages of end users. */
  messages: boolean;
  /** The batch creates people for addresses without a person. */
  introduces: boolean;
  /** The batch has calls of client tokens. */
  client: boolean;
};

/** A column of the CTE `call`, with its name and the type of its elements. */
type Column = { name: string; type: string };

/**
 * One statement (one round trip and one transaction) for all calls of a batch. `gate` is the fence: it selects the
 * calls whose key, plan, agent, trigger and channel are still enabled after the check in memory. `idem` writes the
 * Idempotency-Keys: the first call with a key continues, and a second call with this key writes nothing. `go` contains
 * the calls that pass both `gate` and `idem`. Only the calls in `go` write rows. Rows are locked in the same order
 * everywhere (end user, conversation, run; conversations by their ID) to avoid deadlocks. If a row that the plan did
 * not know conflicts (another node was first), the whole statement is rolled back and the batch is planned again. Rows
 * are passed as one array per column, so planning costs the same for 1 call and for 200. The statement has only the
 * parts that a call of the batch needs. Even an unused part costs the database 20 to 50 µs, which was a sixth of the
 * cost of an anonymous call.
 */
function writeText({ people, keyed, repeatable, messages, introduces, client }: Parts, calls: string): string {
  const key = keyed ? 'key' : 'NULL';
  const unanswered = messages
    ? `CASE WHEN message_id IS NULL OR send_at IS NOT NULL THEN '{}'::text[] ELSE ARRAY[message_id] END`
    : `'{}'::text[]`;
  return `${repeatable ? 'call' : 'go'} AS MATERIALIZED (
  SELECT g.org_id, g.agent_id, g.trigger_id, g.channel_id, :now AS created_at, c.*
  FROM ${calls}
  JOIN gate g ON g.n = c.gate${keyed ? ' ORDER BY c.conversation_id' : ''}
)${repeatable ? `, ${IDEM}` : ''}, ${people ? WRITE_PEOPLE : MADE_NAMELESS}${introduces ? `, ${INTRODUCED}` : ''}
${keyed ? `, ${RELEASES}` : ''}, begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, key, locale, run_id, unanswered,
    created_at, updated_at${client ? ', client_mark' : ''})
  SELECT org_id, conversation_id, agent_id, channel_id, end_user_id, address, ${key}, locale, run_id, ${unanswered},
    created_at, created_at${client ? ', client_mark' : ''}
  FROM go ${
    keyed
      ? `WHERE goes_on IS NULL AND (SELECT count(*) FROM released) >= 0
  ON CONFLICT DO NOTHING RETURNING id`
      : ''
  }
)${keyed ? `, ${continuedText(messages, client)}` : ''}${messages ? `, ${NEW_MESSAGES}` : ''}, accepted AS (
  INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, request_id, created_at, send_at, due_at)
  SELECT org_id, run_id, trigger_id, conversation_id,
    CASE WHEN send_at IS NOT NULL THEN 'scheduled' ${keyed ? "WHEN silent THEN 'handed_off'" : ''} ELSE 'queued' END,
    input::jsonb, request_id, created_at, send_at,
    ${keyed ? 'CASE WHEN silent THEN send_at ELSE coalesce(send_at, now()) END' : 'coalesce(send_at, now())'}
  FROM go RETURNING id
)
SELECT id${people ? `, CASE WHEN ${PEOPLE_LOST} ${keyed ? LOST_KEY : ''} ${introduces ? LOST_ADDRESS : ''} THEN parley_lost_race() END AS lost` : ''}
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
)`;

const LOST_KEY = `
    OR (SELECT count(*) FROM begun) + (SELECT count(*) FROM continued) <> (SELECT count(*) FROM go)`;

/** The identity shows to simultaneous calls that the address has a person. */
const INTRODUCED = `introduced AS (
  INSERT INTO identity (org_id, channel_id, address, end_user_id)
  SELECT org_id, channel_id, address, end_user_id FROM go WHERE introduces ORDER BY org_id, channel_id, address
  ON CONFLICT DO NOTHING RETURNING address
)`;

const LOST_ADDRESS = `
    OR (SELECT count(*) FROM introduced) <> (SELECT count(*) FROM go WHERE introduces)`;

const RELEASED = rowsOf('r', { org_id: 'text', id: 'text', run_id: 'text' }, 'released_');

const RELEASES = `released AS (
  UPDATE conversation c SET key = NULL
  FROM ${RELEASED.from}
  WHERE c.org_id = r.org_id AND c.id = r.id AND ${checkedOnly('c.key')} <> '' AND r.run_id IN (SELECT run_id FROM go)
  RETURNING c.id
)`;

const ARRIVES = marksUnanswered({
  ids: 'go.message_id',
  isSilent: 'go.silent IS NOT NULL',
  isSaid: 'go.message_id IS NOT NULL AND go.send_at IS NULL',
});

const continuedText = (messages: boolean, client: boolean) => `continued AS (
  UPDATE conversation c
  SET run_id = CASE WHEN go.send_at IS NULL THEN go.run_id ELSE c.run_id END,
    version = c.version + 1, updated_at = go.created_at,
    status = CASE WHEN go.silent IS NOT NULL THEN c.status ELSE 'open' END
    ${messages ? `, ${ARRIVES}` : ''}${client ? ', client_mark = coalesce(go.client_mark, c.client_mark)' : ''}
  FROM go WHERE go.goes_on AND c.org_id = go.org_id AND c.id = go.conversation_id
    AND (c.status = 'handed_off') = (go.silent IS NOT NULL) AND (go.key IS NULL OR ${checkedOnly('c.key')} = go.key)
    AND c.run_id IS NOT DISTINCT FROM go.overtakes
  RETURNING c.org_id, c.id, go.send_at, go.created_at, go.overtakes
), overtaken AS (
  UPDATE run r SET status = 'completed', reason = 'continued', finished_at = go.created_at, due_at = NULL, lease = NULL
  FROM continued go WHERE go.send_at IS NULL AND r.org_id = go.org_id AND r.id = go.overtakes
    AND r.status IN ('waiting_for_user', 'waiting_for_approval', 'handed_off')
)`;

const NEW_MESSAGES = `new_messages AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, created_at)
  SELECT org_id, message_id, conversation_id, run_id, 'end_user', message::jsonb, created_at FROM go
    WHERE message_id IS NOT NULL
)`;

/** The records on which a trigger call depends. */
export const TRIGGER_CALL = { agent: 'on', trigger: 'on', channel: 'on' } as const;

const CHECKED = rowsOf(
  'g',
  {
    n: 'int',
    org_id: 'text',
    key_id: 'text',
    came_from: 'text',
    agent_id: 'text',
    trigger_id: 'text',
    channel_id: 'text',
  },
  'gate_',
);
const GATE = { rows: CHECKED.from, needs: TRIGGER_CALL, paidPlanFor: 'everybody', columns: 'g.*' } as const;

/**
 * Statements with the same parts have the same columns of `call`. Each set of parts has one text, and one prepared
 * statement per connection.
 */
const statements = new Map<string, AcceptingStatement<string>>();

export function statementOf(parts: Parts, columns: readonly Column[]): AcceptingStatement<string> {
  const name = `write-runs${Object.entries(parts)
    .map(([part, needed]) => (needed ? ` ${part}` : ''))
    .join('')}`;
  const known = statements.get(name);
  if (known) return known;
  const calls = rowsOf('c', Object.fromEntries(columns.map((column) => [column.name, column.type])));
  const types = {
    ...CHECKED.types,
    ...calls.types,
    ...(parts.people && PEOPLE),
    ...(parts.keyed && RELEASED.types),
    now: 'timestamptz',
  };
  const statement = acceptingStatement(name, types, GATE, writeText(parts, calls.from));
  statements.set(name, statement);
  return statement;
}
