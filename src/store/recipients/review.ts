import type { Db } from '../db.ts';
import { byKey } from '../queue/join-by-key.ts';
import { ADDRESS_AND_PERSON, type DueRecipient } from './dispatch.ts';

export type WaitingRecipient = DueRecipient & { ref: string | null; send_at: Date | null };

/**
 * With this form of the condition, PostgreSQL can use only the primary key. With the index of due rows, each page would
 * sort all due rows.
 */
const IS_WAITING = `coalesce(r.due_at, 'infinity') <> 'infinity'`;

const LIST_WAITING = `SELECT r.id, r.ref, r.variables, r.request_id, r.send_at,
    ${ADDRESS_AND_PERSON}
  FROM recipient r ${byKey('end_user e', 'e.org_id = r.org_id AND e.id = r.end_user_id')}
  WHERE r.org_id = $1 AND r.campaign_id = $2 AND r.id > $5 AND ${IS_WAITING}
  ORDER BY r.id LIMIT $6`;

/**
 * Recipients who were not messaged yet, with the data that the worker would use. Returns one page of recipients after
 * the ID `after`.
 */
export async function listWaiting(
  { $client }: Db,
  campaign: { orgId: string; id: string; channelId: string; channelKind: string },
  { after, limit }: { after: string; limit: number },
): Promise<WaitingRecipient[]> {
  const found = await $client.query<WaitingRecipient>({
    name: 'list-waiting-recipients',
    text: LIST_WAITING,
    values: [campaign.orgId, campaign.id, campaign.channelId, campaign.channelKind, after, limit],
  });
  return found.rows;
}

/** The number of recipients who will never be messaged, by status and reason. */
export async function countLost(
  { $client }: Db,
  orgId: string,
  campaignId: string,
): Promise<{ status: string; reason: string | null; count: number }[]> {
  const found = await $client.query<{ status: string; reason: string | null; count: number }>({
    name: 'count-lost-recipients',
    text: `SELECT status, reason, count(*)::int AS count FROM recipient
      WHERE org_id = $1 AND campaign_id = $2 AND status IN ('suppressed', 'failed', 'cancelled', 'expired')
      GROUP BY status, reason ORDER BY count DESC, status, reason`,
    values: [orgId, campaignId],
  });
  return found.rows;
}
