import type pg from 'pg';
import type { MessageContent } from '../../../contract/messages.ts';
import { COMMENT_MINUTES } from '../../../contract/ratings.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../db.ts';
import { rowsOf } from '../named-statement.ts';
import { arrivalStatement, MESSAGE_COLUMNS, messageColumns, placeColumnsOf } from '../conversations/message-arrives.ts';
import { rememberedId } from './event-id.ts';
import { moreMessagesWaitMs } from '../runs/more-messages-wait.ts';
import { SURVEY } from '../schema/rating.ts';

/**
 * Stores many messages of known people together. The function needs three statements, for any number of messages and
 * people. Rows are locked in the usual order person, conversation, run, each by ID. Messages from an unknown address
 * are returned to src/features/conversations/store-inbound-message.ts, which creates the person and the conversation.
 * Messages that may answer a survey are returned to src/features/conversations/store-inbound-message.ts too.
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

/** `runId`: the run that will answer the message. Null: a member has taken the conversation over. */
export type StoredMessage = { messageId: string; runId: string | null };
/**
 * `repeated`: the message was stored before. `unplaced`: no person has this address, the address has no conversation,
 * or the message may answer a survey.
 */
export type InboundOutcome = StoredMessage | 'repeated' | 'unplaced';

export const storeInboundBatch = (pool: pg.Pool, rows: readonly InboundRow[]): Promise<InboundOutcome[]> =>
  inTransaction(pool, (client) => keep(client, rows));

async function keep(client: pg.PoolClient, rows: readonly InboundRow[]): Promise<InboundOutcome[]> {
  const places = [...new Map(rows.map((row) => [placeOf(row), row])).values()];
  await meetPeople(client, places);
  const ongoing = new Map((await lockConversations(client, places)).entries().filter(([, { rates }]) => !rates));
  const placed = rows.map((row) => ({ row, conversation: ongoing.get(placeOf(row)), ...nextId(ongoing, row) }));
  const stored = await writeMessages(client, placed.filter(isPlaced), [...ongoing.values()]);
  return placed.map(({ conversation, messageId }) => {
    if (!conversation || messageId === null) return 'unplaced';
    return stored.get(messageId) ?? 'repeated';
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
  /** True: the conversation is resolved, and its survey waits for a score or a comment. */
  rates: boolean;
  requestId: string;
  /** The batch's number of messages in the conversation so far, because IDs of the same millisecond have no order. */
  count: number;
  began: number;
};
type Named = { row: InboundRow; conversation: Ongoing; messageId: string };

const placeOf = ({ orgId, channelId, address }: Pick<InboundRow, 'orgId' | 'channelId' | 'address'>): string =>
  `${orgId} ${channelId} ${address}`;

const isPlaced = (one: { conversation: Ongoing | undefined; messageId: string | null }): one is Named =>
  one.conversation !== undefined && one.messageId !== null;

/** The ID is created under the lock of the conversation, so the order of IDs is the order of arrival. */
function nextId(ongoing: ReadonlyMap<string, Ongoing>, row: InboundRow): { messageId: string | null } {
  const conversation = ongoing.get(placeOf(row));
  return { messageId: conversation ? newId('msg', conversation.began + conversation.count++) : null };
}

const placeColumns = (places: readonly InboundRow[]) => [
  places.map((place) => place.orgId),
  places.map((place) => place.channelId),
  places.map((place) => place.address),
];

/** Stores the time of the person's last message. One second is enough accuracy for the time. */
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
    name: 'note-inbound-time',
    text: `WITH updated AS (
        UPDATE identity d SET last_inbound_at = now()
        FROM unnest($1::text[], $2::text[], $3::text[]) AS p(org_id, channel_id, address)
        WHERE d.org_id = p.org_id AND d.channel_id = p.channel_id AND d.address = p.address
        RETURNING d.org_id, d.end_user_id
      )
      UPDATE end_user e SET last_seen_at = now() FROM updated WHERE e.org_id = updated.org_id AND e.id = updated.end_user_id`,
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
      c.unanswered[1] AS first, c.status = 'resolved' AND EXISTS (SELECT 1 FROM rating g
        WHERE g.org_id = c.org_id AND g.conversation_id = c.id AND g.subject = '${SURVEY}' AND g.comment IS NULL
          AND coalesce(g.rated_at > now() - interval '${COMMENT_MINUTES} minutes', g.message_id IS NOT NULL)) AS rates
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

const EVENT = rowsOf('t', { ...MESSAGE_COLUMNS, channel_id: 'text', event_id: 'text' });

/** A message whose event was stored before is skipped. */
const WRITE = arrivalStatement(
  'keep-inbound-batch',
  EVENT.types,
  `batch AS MATERIALIZED (
  SELECT * FROM ${EVENT.from}
), fresh AS (
  INSERT INTO inbound_event (org_id, channel_id, event_id) SELECT org_id, channel_id, event_id FROM batch
  ORDER BY org_id, channel_id, event_id ON CONFLICT DO NOTHING RETURNING org_id, channel_id, event_id
), arrived AS MATERIALIZED (
  SELECT batch.* FROM batch JOIN fresh USING (org_id, channel_id, event_id)
)`,
);

async function writeMessages(
  client: pg.PoolClient,
  named: readonly Named[],
  conversations: readonly Ongoing[],
): Promise<ReadonlyMap<string, StoredMessage>> {
  // A message that occurs twice within one batch is also stored only once.
  const fresh = [
    ...new Map(named.toReversed().map((one) => [`${one.row.channelId} ${one.row.eventId}`, one])).values(),
  ];
  if (fresh.length === 0) return new Map();
  const written = await client.query<{ message_id: string; run_id: string | null }>(
    WRITE({
      ...messageColumns(
        fresh.map(({ row, conversation, messageId }) => ({ ...row, id: messageId, conversationId: conversation.id })),
      ),
      channel_id: fresh.map(({ row }) => row.channelId),
      event_id: fresh.map(({ row }) => rememberedId(row.eventId)),
      ...placeColumnsOf(
        conversations.map(({ org_id: orgId, id, silent, run_id: runId, requestId, first }) => {
          return { orgId, id, isSilent: silent, runId, requestId, afterMs: moreMessagesWaitMs(first) };
        }),
      ),
    }),
  );
  return new Map(
    written.rows.map((row) => [row.message_id, { messageId: row.message_id, runId: row.run_id }] as const),
  );
}
