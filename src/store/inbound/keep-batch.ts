import type pg from 'pg';
import type { MessageContent } from '../../../contract/messages.ts';
import { newId } from '../../kernel/ids.ts';
import { named, rowsOf } from '../named.ts';
import { rememberedId } from './event-id.ts';
import { settleMs, STORING } from '../runs/settle.ts';

/**
 * Stores messages of known people, many at once: three statements in total, for any number of messages and people.
 * Locks are taken in the usual order person, conversation, run, each by id. An unknown address is left to
 * src/features/conversations/keep-inbound-message.ts, which creates the person and the conversation.
 */
export type InboundRow = {
  orgId: string;
  channelId: string;
  address: string;
  eventId: string;
  content: MessageContent;
  providerMessageId: string | null;
  metadata: Record<string, string> | null;
  requestId: string;
};

/** `runId`: the run that will answer; null: a human has taken the conversation over. */
export type KeptMessage = { messageId: string; runId: string | null };
/** `repeated`: it was stored before. `unplaced`: no person has this address, or it has no open conversation. */
export type InboundOutcome = KeptMessage | 'repeated' | 'unplaced';

export async function keepInboundBatch(pool: pg.Pool, rows: readonly InboundRow[]): Promise<InboundOutcome[]> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const outcomes = await keep(client, rows);
    await client.query('COMMIT');
    client.release();
    return outcomes;
  } catch (error) {
    const lost = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    client.release(lost);
    throw error;
  }
}

async function keep(client: pg.PoolClient, rows: readonly InboundRow[]): Promise<InboundOutcome[]> {
  const places = [...new Map(rows.map((row) => [placeOf(row), row])).values()];
  await meetPeople(client, places);
  const ongoing = await lockConversations(client, places);
  const placed = rows.map((row) => ({ row, conversation: ongoing.get(placeOf(row)), ...nextId(ongoing, row) }));
  const kept = await writeMessages(client, placed.filter(isPlaced), [...ongoing.values()]);
  return placed.map(({ conversation, messageId }) => {
    if (!conversation || messageId === null) return 'unplaced';
    return kept.get(messageId) ?? 'repeated';
  });
}

type Ongoing = {
  org_id: string;
  channel_id: string;
  address: string;
  id: string;
  silent: boolean;
  run_id: string | null;
  first: string | null;
  requestId: string;
  /** Messages of this batch in it so far: ids of the same millisecond have no order. */
  count: number;
  began: number;
};
type Named = { row: InboundRow; conversation: Ongoing; messageId: string };

const placeOf = ({ orgId, channelId, address }: Pick<InboundRow, 'orgId' | 'channelId' | 'address'>): string =>
  `${orgId} ${channelId} ${address}`;

const isPlaced = (one: { conversation: Ongoing | undefined; messageId: string | null }): one is Named =>
  one.conversation !== undefined && one.messageId !== null;

/** Created under the lock: the order of ids is the order of arrival. */
function nextId(ongoing: ReadonlyMap<string, Ongoing>, row: InboundRow): { messageId: string | null } {
  const conversation = ongoing.get(placeOf(row));
  return { messageId: conversation ? newId('msg', conversation.began + conversation.count++) : null };
}

const placeColumns = (places: readonly InboundRow[]) => [
  places.map((place) => place.orgId),
  places.map((place) => place.channelId),
  places.map((place) => place.address),
];

/** Stores when they last wrote; a time within the last second is accurate enough. */
async function meetPeople(client: pg.PoolClient, places: readonly InboundRow[]): Promise<void> {
  const met = await client.query<{ stale: boolean }>({
    name: 'meet-people',
    text: `SELECT coalesce(d.last_inbound_at < now() - interval '1 second', true) AS stale
      FROM unnest($1::text[], $2::text[], $3::text[]) AS p(org_id, channel_id, address)
      JOIN identity d ON d.org_id = p.org_id AND d.channel_id = p.channel_id AND d.address = p.address
      JOIN end_user e ON e.org_id = d.org_id AND e.id = d.end_user_id
      ORDER BY e.id FOR NO KEY UPDATE OF e`,
    values: placeColumns(places),
  });
  if (!met.rows.some(({ stale }) => stale)) return;
  await client.query({
    name: 'note-heard-of',
    text: `WITH heard AS (
        UPDATE identity d SET last_inbound_at = now()
        FROM unnest($1::text[], $2::text[], $3::text[]) AS p(org_id, channel_id, address)
        WHERE d.org_id = p.org_id AND d.channel_id = p.channel_id AND d.address = p.address
        RETURNING d.org_id, d.end_user_id
      )
      UPDATE end_user e SET last_seen_at = now() FROM heard WHERE e.org_id = heard.org_id AND e.id = heard.end_user_id`,
    values: placeColumns(places),
  });
}

/** The newest conversation from each address, locked until the end of the transaction. */
async function lockConversations(
  client: pg.PoolClient,
  places: readonly InboundRow[],
): Promise<ReadonlyMap<string, Ongoing>> {
  const locked = await client.query<Omit<Ongoing, 'count' | 'began' | 'requestId'>>({
    name: 'lock-ongoing',
    text: `SELECT p.org_id, p.channel_id, p.address, c.id, c.status = 'handed_off' AS silent, c.run_id,
      c.unanswered[1] AS first
      FROM unnest($1::text[], $2::text[], $3::text[]) AS p(org_id, channel_id, address)
      JOIN identity d ON d.org_id = p.org_id AND d.channel_id = p.channel_id AND d.address = p.address
      JOIN LATERAL (SELECT o.id FROM conversation o WHERE o.org_id = p.org_id AND o.channel_id = p.channel_id
        AND o.address = p.address ORDER BY o.id DESC LIMIT 1) newest ON true
      JOIN conversation c ON c.org_id = p.org_id AND c.id = newest.id
      ORDER BY c.id FOR UPDATE OF c`,
    values: placeColumns(places),
  });
  const requests = new Map(places.map((place) => [placeOf(place), place.requestId]));
  const began = Date.now();
  return new Map(
    locked.rows.map((row) => {
      const place = placeOf({ orgId: row.org_id, channelId: row.channel_id, address: row.address });
      return [place, { ...row, requestId: requests.get(place)!, count: 0, began }];
    }),
  );
}

const SAID = rowsOf('t', {
  org_id: 'text',
  channel_id: 'text',
  event_id: 'text',
  conversation_id: 'text',
  message_id: 'text',
  content: 'text',
  provider_message_id: 'text',
  metadata: 'text',
});
const TALKED = rowsOf(
  't',
  {
    org_id: 'text',
    id: 'text',
    silent: 'bool',
    run_id: 'text',
    new_run_id: 'text',
    request_id: 'text',
    settle_ms: 'int',
  },
  'talked_',
);

/**
 * The new messages, with the run that answers them: the conversation's own, woken, or a new one if that has ended. A
 * conversation that a human has taken over only stores them.
 */
const WRITE = named(
  'keep-inbound-batch',
  { ...SAID.types, ...TALKED.types },
  `WITH said AS MATERIALIZED (
  SELECT * FROM ${SAID.from}
), fresh AS (
  INSERT INTO inbound_event (org_id, channel_id, event_id) SELECT org_id, channel_id, event_id FROM said
  ORDER BY org_id, channel_id, event_id ON CONFLICT DO NOTHING RETURNING org_id, channel_id, event_id
), kept AS MATERIALIZED (
  SELECT said.* FROM said JOIN fresh USING (org_id, channel_id, event_id)
), talked AS MATERIALIZED (
  SELECT t.*, k.ids
  FROM ${TALKED.from}
  JOIN (SELECT org_id, conversation_id, array_agg(message_id ORDER BY message_id) AS ids FROM kept GROUP BY 1, 2) k
    ON k.org_id = t.org_id AND k.conversation_id = t.id
), woken AS (
  UPDATE run r SET status = CASE WHEN r.status = 'running' THEN 'running' ELSE 'queued' END,
    finished_at = NULL, reason = NULL,
    due_at = CASE WHEN r.lease IS NULL THEN ${STORING} + t.settle_ms * interval '1 millisecond' ELSE r.due_at END
  FROM talked t WHERE NOT t.silent AND r.org_id = t.org_id AND r.id = t.run_id
    AND r.status IN ('queued', 'running', 'waiting_for_user', 'handed_off')
  RETURNING r.org_id, r.id
), made AS (
  INSERT INTO run (org_id, id, conversation_id, request_id, status, input, due_at)
  SELECT t.org_id, t.new_run_id, t.id, t.request_id, 'queued', '{}', ${STORING} + t.settle_ms * interval '1 millisecond'
  FROM talked t WHERE NOT t.silent AND NOT EXISTS (SELECT 1 FROM woken w WHERE w.org_id = t.org_id AND w.id = t.run_id)
  RETURNING org_id, id
), answered AS MATERIALIZED (
  SELECT t.org_id, t.id, t.ids, t.silent, coalesce(m.id, t.run_id) AS run_id
  FROM talked t LEFT JOIN made m ON m.org_id = t.org_id AND m.id = t.new_run_id
), stored AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, provider_message_id, metadata)
  SELECT k.org_id, k.message_id, k.conversation_id, a.run_id, 'end_user', k.content::jsonb, k.provider_message_id,
    k.metadata::jsonb
  FROM kept k JOIN answered a ON a.org_id = k.org_id AND a.id = k.conversation_id
), moved AS (
  UPDATE conversation c SET version = c.version + 1, updated_at = clock_timestamp(), run_id = a.run_id,
    snoozed_until = NULL,
    status = CASE WHEN a.silent THEN 'handed_off' ELSE 'open' END,
    unanswered = CASE WHEN a.silent THEN c.unanswered ELSE c.unanswered || a.ids END
  FROM answered a WHERE c.org_id = a.org_id AND c.id = a.id
)
SELECT k.message_id, CASE WHEN NOT a.silent THEN a.run_id END AS run_id
FROM kept k JOIN answered a ON a.org_id = k.org_id AND a.id = k.conversation_id`,
);

async function writeMessages(
  client: pg.PoolClient,
  told: readonly Named[],
  conversations: readonly Ongoing[],
): Promise<ReadonlyMap<string, KeptMessage>> {
  // A message that occurs twice within one batch is stored once, too.
  const fresh = [...new Map(told.toReversed().map((one) => [`${one.row.channelId} ${one.row.eventId}`, one])).values()];
  if (fresh.length === 0) return new Map();
  const written = await client.query<{ message_id: string; run_id: string | null }>(
    WRITE({
      org_id: fresh.map(({ row }) => row.orgId),
      channel_id: fresh.map(({ row }) => row.channelId),
      event_id: fresh.map(({ row }) => rememberedId(row.eventId)),
      conversation_id: fresh.map(({ conversation }) => conversation.id),
      message_id: fresh.map(({ messageId }) => messageId),
      content: fresh.map(({ row }) => JSON.stringify(row.content)),
      provider_message_id: fresh.map(({ row }) => row.providerMessageId),
      metadata: fresh.map(({ row }) => row.metadata && JSON.stringify(row.metadata)),
      talked_org_id: conversations.map(({ org_id: orgId }) => orgId),
      talked_id: conversations.map(({ id }) => id),
      talked_silent: conversations.map(({ silent }) => silent),
      talked_run_id: conversations.map(({ run_id: runId }) => runId),
      talked_new_run_id: conversations.map(() => newId('run')),
      talked_request_id: conversations.map(({ requestId }) => requestId),
      talked_settle_ms: conversations.map(({ first }) => settleMs(first)),
    }),
  );
  return new Map(
    written.rows.map((row) => [row.message_id, { messageId: row.message_id, runId: row.run_id }] as const),
  );
}
