import type { CampaignRecord } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { listCampaigns as listRows, readCampaign as readRow } from '../../store/campaigns/campaigns.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { countRecipients } from '../../store/recipients/read.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentCampaign } from './present-campaign.ts';

type Reads = Pick<CampaignsDeps, 'db'>;

export async function listCampaigns(
  { db }: Reads,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined; roundOf?: string | undefined },
  page: PageRequest,
): Promise<PageOf<CampaignRecord>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  return { rows: rows.map(presentCampaign), hasMore };
}

export async function readCampaign({ db }: Reads, orgId: string, id: string): Promise<CampaignRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  return { ...presentCampaign(row), ...(await countRecipients(db, orgId, id)) };
}
