import type { PushRecord } from '../../../contract/dashboard/additions.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { cancelPush as cancelRow, listPushes as listRows, readPush as readRow } from '../../store/campaigns/pushes.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentPush } from './present-push.ts';

type Reads = Pick<CampaignsDeps, 'db'>;

export async function listPushes(
  { db }: Reads,
  orgId: string,
  campaignId: string,
  page: PageRequest,
): Promise<PageOf<PushRecord>> {
  if (!(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  const { rows, hasMore } = await listRows(db, orgId, campaignId, page);
  return { rows: rows.map(presentPush), hasMore };
}

export async function readPush(
  { db }: { db: Queryable },
  orgId: string,
  campaignId: string,
  id: string,
): Promise<PushRecord> {
  if (!(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  const row = await readRow(db, orgId, campaignId, id);
  if (!row) throw new Refusal('push_not_found');
  return presentPush(row);
}

/** Stops the push. People who were added stay. A push that has ended does not change. */
export async function cancelPush(
  { db }: Reads,
  orgId: string,
  campaignId: string,
  id: string,
  actor: Actor,
): Promise<PushRecord> {
  return db.transaction(async (tx) => {
    await readPush({ db: tx }, orgId, campaignId, id);
    if (await cancelRow(tx, orgId, campaignId, id))
      await recordAudit(tx, { orgId, actor, action: 'campaign.audience_stopped', subjectId: campaignId });
    return readPush({ db: tx }, orgId, campaignId, id);
  });
}
