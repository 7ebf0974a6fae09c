import { sql } from 'drizzle-orm';
import type { RecipientStatus } from '../../../contract/campaigns.ts';
import type { Queryable } from '../db.ts';

type Row = { recipientId: string; campaignId: string; name: string; status: RecipientStatus; createdAt: Date };

/** The newest enrolments of a person, read from the index that prevents a second enrolment. */
export async function listCampaignsOf(db: Queryable, orgId: string, endUserId: string, limit: number): Promise<Row[]> {
  const { rows } = await db.execute<{
    id: string;
    campaign_id: string;
    name: string;
    status: RecipientStatus;
    created_at: string | Date;
  }>(sql`SELECT r.id, r.campaign_id, c.name, r.status, r.created_at FROM recipient r
    JOIN campaign c ON c.org_id = r.org_id AND c.id = r.campaign_id
    WHERE r.org_id = ${orgId} AND r.end_user_id = ${endUserId}
    ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit}`);
  return rows.map(({ id, campaign_id, created_at, ...row }) => ({
    ...row,
    recipientId: id,
    campaignId: campaign_id,
    createdAt: new Date(created_at),
  }));
}
