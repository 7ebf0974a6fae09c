import type { DeliveryError, DeliveryStatus } from '../../../contract/channels.ts';
import { DELIVERY_QUEUE, IS_WITHDRAWN, type LeasedDelivery } from './claim.ts';
import type pg from 'pg';
import { named, rowsOf } from '../named-statement.ts';
import { storable, storableText } from '../../kernel/storable.ts';

/** The outcome of one attempt. */
export type DeliveryOutcome = {
  claimed: LeasedDelivery;
  status: DeliveryStatus;
  error: DeliveryError | null;
  providerMessageId: string | null;
  possibleDuplicate: boolean;
  /** The delay before the next attempt. Null after the last attempt. */
  againAfterMs: number | null;
  /** The attempt never reached the provider, so it does not count. */
  refund: boolean;
  /** A newly found address, which belongs to the conversation from now on. */
  learned: { conversationId: string; channelId: string; endUserId: string; address: string } | null;
};

const OUTCOME = rowsOf('t', {
  ...DELIVERY_QUEUE.leaseTypes,
  status: 'text',
  error: 'text',
  provider_message_id: 'text',
  possible_duplicate: 'bool',
  again_ms: 'float8',
  refund: 'int',
  conversation_id: 'text',
  channel_id: 'text',
  end_user_id: 'text',
  address: 'text',
});

/**
 * Messages are locked in the order of their IDs, as in all code that changes many messages, to avoid deadlocks. A
 * failed message waits for the end of its campaign's pause, if the pause began during the provider call. A message that
 * was withdrawn during the provider call keeps the mark. The statement stores nothing for a message that was deleted
 * with its erased person.
 */
const COMPLETE = named(
  'complete-deliveries',
  OUTCOME.types,
  `WITH outcome AS MATERIALIZED (
  SELECT * FROM ${OUTCOME.from}
), mine AS MATERIALIZED (
  SELECT t.* FROM outcome t JOIN message m ON ${DELIVERY_QUEUE.sameLease('m', 't')}
  ORDER BY t.org_id, t.id FOR NO KEY UPDATE OF m
), done AS (
  UPDATE message m SET status = t.status, lease = NULL,
    error = CASE WHEN t.again_ms IS NOT NULL AND ${IS_WITHDRAWN} THEN m.error ELSE t.error::jsonb END,
    provider_message_id = coalesce(t.provider_message_id, m.provider_message_id),
    possible_duplicate = m.possible_duplicate OR t.possible_duplicate, attempts = m.attempts - t.refund,
    due_at = CASE WHEN m.due_at IS NOT NULL THEN (SELECT now() + t.again_ms * interval '1 millisecond') END
  FROM mine t WHERE ${DELIVERY_QUEUE.sameLease('m', 't')}
  RETURNING m.id
), placed AS (
  UPDATE conversation c SET address = t.address FROM mine t
  WHERE t.address IS NOT NULL AND c.org_id = t.org_id AND c.id = t.conversation_id AND c.address IS NULL
), known AS (
  INSERT INTO identity (org_id, channel_id, address, end_user_id)
  SELECT DISTINCT ON (org_id, channel_id, address) org_id, channel_id, address, end_user_id FROM mine
    WHERE address IS NOT NULL
  ON CONFLICT DO NOTHING
)
SELECT id FROM done`,
);

/** Stores the outcomes of attempts. Returns the IDs of messages whose lease still belonged to their worker. */
export async function completeDeliveries(pool: pg.Pool, outcomes: readonly DeliveryOutcome[]): Promise<Set<string>> {
  const done = await pool.query<{ id: string }>(
    COMPLETE({
      ...DELIVERY_QUEUE.leaseColumns(outcomes.map(({ claimed }) => claimed)),
      status: outcomes.map((outcome) => outcome.status),
      error: outcomes.map((outcome) => outcome.error && storable(outcome.error)),
      provider_message_id: outcomes.map((outcome) => outcome.providerMessageId),
      possible_duplicate: outcomes.map((outcome) => outcome.possibleDuplicate),
      again_ms: outcomes.map((outcome) => outcome.againAfterMs),
      refund: outcomes.map((outcome) => (outcome.refund ? 1 : 0)),
      conversation_id: outcomes.map(({ learned }) => learned?.conversationId ?? null),
      channel_id: outcomes.map(({ learned }) => learned?.channelId ?? null),
      end_user_id: outcomes.map(({ learned }) => learned?.endUserId ?? null),
      address: outcomes.map(({ learned }) => learned?.address ?? null),
    }),
  );
  return new Set(done.rows.map((row) => row.id));
}

/**
 * Marks a channel as broken with the reason when the provider refuses it, and as connected when the channel works
 * again.
 */
export async function markChannel(
  pool: pg.Pool,
  orgId: string,
  channelId: string,
  state: { status: 'connected' } | { status: 'broken'; detail: string },
): Promise<void> {
  await pool.query({
    name: 'mark-channel',
    text: `UPDATE channel SET status = $3, status_detail = $4 WHERE org_id = $1 AND id = $2
      AND (status, status_detail) IS DISTINCT FROM ($3, $4)`,
    values: [orgId, channelId, state.status, state.status === 'broken' ? storableText(state.detail) : null],
  });
}
