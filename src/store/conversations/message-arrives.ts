import type { MessageContent } from '../../../contract/messages.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { asSql, type Named, named, rowsOf } from '../named-statement.ts';
import { STORING } from '../runs/more-messages-wait.ts';

/**
 * Handles the arrival of an end user's message. The function ends the snooze of the conversation `c`. The agent must
 * answer the message, unless a member has taken the conversation over. `ids`: the IDs of the new messages. `isSaid`:
 * false for a message with a scheduled time in the future.
 */
export const marksUnanswered = ({ ids, isSilent, isSaid }: { ids: string; isSilent: string; isSaid: string }) => `
    snoozed_until = CASE WHEN ${isSaid} THEN NULL ELSE c.snoozed_until END,
    unanswered = CASE WHEN ${isSaid} AND NOT (${isSilent}) THEN c.unanswered || ${ids} ELSE c.unanswered END`;

type ArrivedMessage = {
  orgId: string;
  id: string;
  conversationId: string;
  content: MessageContent;
  providerMessageId: string | null;
  metadata: Readonly<Record<string, string>> | null;
};

/** A locked conversation that receives messages. */
type ArrivalPlace = {
  orgId: string;
  id: string;
  /** True: a member has taken the conversation over. */
  isSilent: boolean;
  runId: string | null;
  requestId: string | null;
  /** The time that the turn waits for further messages. */
  afterMs: number;
};

export const MESSAGE_COLUMNS = {
  org_id: 'text',
  conversation_id: 'text',
  message_id: 'text',
  content: 'text',
  provider_message_id: 'text',
  metadata: 'text',
} as const;

export const messageColumns = (messages: readonly ArrivedMessage[]) => ({
  org_id: messages.map(({ orgId }) => orgId),
  conversation_id: messages.map(({ conversationId }) => conversationId),
  message_id: messages.map(({ id }) => id),
  content: messages.map(({ content }) => JSON.stringify(content)),
  provider_message_id: messages.map(({ providerMessageId }) => providerMessageId),
  metadata: messages.map(({ metadata }) => metadata && JSON.stringify(metadata)),
});

const PLACE = rowsOf(
  't',
  {
    org_id: 'text',
    id: 'text',
    silent: 'bool',
    run_id: 'text',
    new_run_id: 'text',
    request_id: 'text',
    after_ms: 'int',
  },
  'place_',
);

export const placeColumnsOf = (places: readonly ArrivalPlace[]) => ({
  place_org_id: places.map(({ orgId }) => orgId),
  place_id: places.map(({ id }) => id),
  place_silent: places.map(({ isSilent }) => isSilent),
  place_run_id: places.map(({ runId }) => runId),
  place_new_run_id: places.map(() => newId('run')),
  place_request_id: places.map(({ requestId }) => requestId),
  place_after_ms: places.map(({ afterMs }) => Math.round(afterMs)),
});

/**
 * Stores the messages of the CTE `arrived` and wakes the run that answers them, or creates a new run if the run has
 * ended. If a member has taken the conversation over, the messages are only stored. The caller has locked the
 * conversations. All messages get one time, which is later than any earlier change under the lock of the conversations.
 */
export function arrivalStatement<const Types extends Readonly<Record<string, string>>>(
  name: string,
  types: Types,
  arrived: string,
): Named<(keyof Types | keyof typeof PLACE.types) & string> {
  return named(
    name,
    { ...types, ...PLACE.types },
    `WITH ${arrived}, talked AS MATERIALIZED (
  SELECT t.*, k.ids
  FROM ${PLACE.from}
  JOIN (SELECT org_id, conversation_id, array_agg(message_id ORDER BY message_id) AS ids FROM arrived GROUP BY 1, 2) k
    ON k.org_id = t.org_id AND k.conversation_id = t.id
), woken AS (
  UPDATE run r SET status = CASE WHEN r.status = 'running' THEN 'running' ELSE 'queued' END,
    finished_at = NULL, reason = NULL,
    due_at = CASE WHEN r.lease IS NULL THEN (SELECT ${STORING} + t.after_ms * interval '1 millisecond') ELSE r.due_at END
  FROM talked t WHERE NOT t.silent AND r.org_id = t.org_id AND r.id = t.run_id
    AND r.status IN ('queued', 'running', 'waiting_for_user', 'waiting_for_approval', 'handed_off')
  RETURNING r.org_id, r.id
), made AS (
  INSERT INTO run (org_id, id, conversation_id, request_id, status, input, due_at)
  SELECT t.org_id, t.new_run_id, t.id, t.request_id, 'queued', '{}', ${STORING} + t.after_ms * interval '1 millisecond'
  FROM talked t WHERE NOT t.silent AND NOT EXISTS (SELECT 1 FROM woken w WHERE w.org_id = t.org_id AND w.id = t.run_id)
  RETURNING org_id, id
), answered AS MATERIALIZED (
  SELECT t.org_id, t.id, t.ids, t.silent, coalesce(m.id, t.run_id) AS run_id
  FROM talked t LEFT JOIN made m ON m.org_id = t.org_id AND m.id = t.new_run_id
), stored AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, provider_message_id, metadata, created_at)
  SELECT k.org_id, k.message_id, k.conversation_id, a.run_id, 'end_user', k.content::jsonb, k.provider_message_id,
    k.metadata::jsonb, (SELECT clock_timestamp())
  FROM arrived k JOIN answered a ON a.org_id = k.org_id AND a.id = k.conversation_id
), moved AS (
  UPDATE conversation c SET version = c.version + 1, updated_at = statement_timestamp(), run_id = a.run_id,
    status = CASE WHEN a.silent THEN 'handed_off' ELSE 'open' END,
    ${marksUnanswered({ ids: 'a.ids', isSilent: 'a.silent', isSaid: 'true' })}
  FROM answered a WHERE c.org_id = a.org_id AND c.id = a.id
)
SELECT k.message_id, CASE WHEN NOT a.silent THEN a.run_id END AS run_id
FROM arrived k JOIN answered a ON a.org_id = k.org_id AND a.id = k.conversation_id`,
  );
}

const ONE = rowsOf('k', MESSAGE_COLUMNS);
const STORE = arrivalStatement('store-message', ONE.types, `arrived AS MATERIALIZED (SELECT * FROM ${ONE.from})`);

/**
 * Stores one message in its locked conversation. Returns the run that answers the message. Null: a member has taken the
 * conversation over.
 */
export async function storeArrivedMessage(
  tx: Queryable,
  message: Omit<ArrivedMessage, 'orgId' | 'conversationId'>,
  place: ArrivalPlace,
): Promise<string | null> {
  const row = { ...message, orgId: place.orgId, conversationId: place.id };
  const stored = await tx.execute<{ run_id: string | null }>(
    asSql(STORE({ ...messageColumns([row]), ...placeColumnsOf([place]) })),
  );
  return stored.rows[0]!.run_id;
}
