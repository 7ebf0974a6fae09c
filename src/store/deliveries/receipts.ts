import type pg from 'pg';
import type { DeliveryError } from '../../../contract/channels.ts';
import { rememberedId } from '../inbound/event-id.ts';
import { byKey } from '../queue/join-by-key.ts';
import { storable } from '../../kernel/storable.ts';

export type Receipt = {
  providerMessageId: string;
  status: 'delivered' | 'read' | 'failed' | 'undelivered';
  error: DeliveryError | null;
};

/** The name by which the table `inbound_event` remembers a message of an erased person. */
export const erasedReceipt = (providerMessageId: string): string => rememberedId(`erased receipt ${providerMessageId}`);

/**
 * Stores a provider's reports about messages. A repeated report changes nothing. A report about a message of an erased
 * person is not stored, because its ID and its error may contain the address of the person.
 */
export async function keepReceipts(
  pool: pg.Pool,
  orgId: string,
  channelId: string,
  receipts: readonly Receipt[],
): Promise<void> {
  await pool.query({
    name: 'keep-receipts',
    text: `INSERT INTO receipt (org_id, channel_id, provider_message_id, status, error)
      SELECT $1, $2, r.id, r.status, r.error::jsonb
        FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS r(id, status, error, erased)
        WHERE NOT EXISTS (
          SELECT FROM inbound_event e WHERE e.org_id = $1 AND e.channel_id = $2 AND e.event_id = r.erased)
      ON CONFLICT DO NOTHING`,
    values: [
      orgId,
      channelId,
      receipts.map((receipt) => receipt.providerMessageId),
      receipts.map((receipt) => receipt.status),
      receipts.map((receipt) => receipt.error && storable(receipt.error)),
      receipts.map((receipt) => erasedReceipt(receipt.providerMessageId)),
    ],
  });
}

/**
 * Applies stored receipts to the messages with the given provider IDs. A status only moves up (sent, failed, delivered,
 * read), so receipts may arrive in any order: `read` is never replaced by `delivered`. This function runs after the
 * commit of a receipt and after the commit of a provider ID, so the later commit finds the earlier one.
 */
export const APPLY = `
UPDATE message m SET status = best.status, error = best.error
FROM (
  SELECT DISTINCT ON (m.org_id, m.id) m.org_id, m.id, r.status, r.error
  FROM unnest($1::text[], $2::text[]) AS w(org_id, provider_message_id)
  JOIN message m ON m.org_id = w.org_id AND m.provider_message_id = w.provider_message_id AND m.role <> 'end_user'
  ${byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id')}
  JOIN receipt r ON r.org_id = m.org_id AND r.channel_id = c.channel_id
    AND r.provider_message_id = m.provider_message_id
  ORDER BY m.org_id, m.id, array_position(ARRAY['read', 'delivered', 'undelivered', 'failed'], r.status)
) best
WHERE m.org_id = best.org_id AND m.id = best.id AND m.due_at IS NULL
  AND array_position(ARRAY['sent', 'failed', 'undelivered', 'delivered', 'read'], best.status)
    > coalesce(array_position(ARRAY['sent', 'failed', 'undelivered', 'delivered', 'read'], m.status), 0)`;

export async function applyReceipts(
  pool: pg.Pool,
  messages: readonly { orgId: string; providerMessageId: string }[],
): Promise<void> {
  if (messages.length === 0) return;
  await pool.query({
    name: 'apply-receipts',
    text: APPLY,
    values: [messages.map((one) => one.orgId), messages.map((one) => one.providerMessageId)],
  });
}

/** The time for which receipts and events are stored. No provider repeats its calls after this time. */
export const INBOUND_RETENTION_DAYS = 7;

/** Removes expired rows, at most `limit` of each table. Returns the larger of the two numbers of removed rows. */
export async function forgetInbound(pool: pg.Pool, limit: number): Promise<number> {
  const [events, receipts] = await Promise.all([
    pool.query(
      `DELETE FROM inbound_event WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM inbound_event WHERE created_at < now() - interval '${INBOUND_RETENTION_DAYS} days' LIMIT $1))`,
      [limit],
    ),
    pool.query(
      `DELETE FROM receipt WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM receipt WHERE created_at < now() - interval '${INBOUND_RETENTION_DAYS} days' LIMIT $1))`,
      [limit],
    ),
  ]);
  return Math.max(events.rowCount ?? 0, receipts.rowCount ?? 0);
}
