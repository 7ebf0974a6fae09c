import { sql } from 'drizzle-orm';
import { kindsBy, type PersonField } from '../../../contract/channel-kinds.ts';
import type { Queryable } from '../db.ts';

const listed = (field: PersonField): string =>
  kindsBy(field)
    .map((kind) => `'${kind}'`)
    .join(', ');

/** SQL for the address in the record of end user `e` for a kind of channel. Null if the record has no address. */
export const addressOf = (kind: string): string =>
  `CASE WHEN ${kind} IN (${listed('email')}) THEN e.email WHEN ${kind} IN (${listed('phone')}) THEN e.phone END`;

/**
 * SQL for the address of a turn with end user `e` on channel `ch`. `address`: the address of the conversation, or else
 * the person's own address applies.
 */
export const addressOfTurn = (address: string): string =>
  `CASE WHEN ${address} IS NOT NULL OR ch.kind = 'sandbox' THEN ${address} ELSE coalesce(
    (SELECT i.address FROM identity i WHERE i.org_id = e.org_id AND i.end_user_id = e.id
      AND coalesce(i.channel_id, '') = ch.id LIMIT 1),
    ${addressOf('ch.kind')}) END`;

/** The address of the next turn in a conversation, or in a new conversation that has not been stored. */
export async function readAddressOfTurn(
  db: Queryable,
  orgId: string,
  { endUserId, channelId, conversationId }: { endUserId: string; channelId: string; conversationId: string },
): Promise<string | null> {
  const { rows } = await db.execute<{
    address: string | null;
  }>(sql`SELECT ${sql.raw(addressOfTurn('c.address'))} AS address
    FROM end_user e JOIN channel ch ON ch.org_id = e.org_id AND ch.id = ${channelId}
    LEFT JOIN conversation c ON c.org_id = e.org_id AND c.id = ${conversationId}
    WHERE e.org_id = ${orgId} AND e.id = ${endUserId}`);
  return rows[0]?.address ?? null;
}
