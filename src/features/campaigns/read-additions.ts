import type { AdditionRecord } from '../../../contract/dashboard/additions.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import {
  cancelAddition as cancelRow,
  listAdditions as listRows,
  readAddition as readRow,
} from '../../store/campaigns/additions.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentAddition } from './present-addition.ts';

type Reads = Pick<CampaignsDeps, 'db'>;

export async function listAdditions(
  { db }: Reads,
  orgId: string,
  campaignId: string,
  page: PageRequest,
): Promise<PageOf<AdditionRecord>> {
  if (!(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  const { rows, hasMore } = await listRows(db, orgId, campaignId, page);
  return { rows: rows.map(presentAddition), hasMore };
}

export async function readAddition(
  { db }: { db: Queryable },
  orgId: string,
  campaignId: string,
  id: string,
): Promise<AdditionRecord> {
  if (!(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  const row = await readRow(db, orgId, campaignId, id);
  if (!row) throw new Refusal('push_not_found');
  return presentAddition(row);
}

/** Stops the addition. People who were already added stay. An addition that has ended does not change. */
export async function cancelAddition(
  { db }: Reads,
  orgId: string,
  campaignId: string,
  id: string,
  actor: Actor,
): Promise<AdditionRecord> {
  return db.transaction(async (tx) => {
    await readAddition({ db: tx }, orgId, campaignId, id);
    if (await cancelRow(tx, orgId, campaignId, id))
      await recordAudit(tx, { orgId, actor, action: 'campaign.audience_stopped', subjectId: campaignId });
    return readAddition({ db: tx }, orgId, campaignId, id);
  });
}
