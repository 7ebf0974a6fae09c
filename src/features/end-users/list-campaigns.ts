import { type EndUserCampaign, MAX_SHOWN_CAMPAIGNS } from '../../../contract/dashboard/end-users.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listCampaignsOf } from '../../store/end-users/list-campaigns.ts';
import { readEndUser } from '../../store/end-users/read.ts';
import type { EndUsersDeps } from './deps.ts';

export async function listEndUserCampaigns(
  { db }: Pick<EndUsersDeps, 'db'>,
  orgId: string,
  endUserId: string,
): Promise<EndUserCampaign[]> {
  if (!(await readEndUser(db, orgId, endUserId))) throw new Refusal('end_user_not_found');
  const rows = await listCampaignsOf(db, orgId, endUserId, MAX_SHOWN_CAMPAIGNS);
  return rows.map(({ recipientId, campaignId, name, status, createdAt }) => ({
    recipient_id: recipientId,
    campaign_id: campaignId,
    name,
    status,
    created_at: timestamp(createdAt),
  }));
}
