import { CAMPAIGN_MOVES, type CampaignMove, type CampaignRecord } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import { changeCampaign, moveCampaign as moveRow, readCampaign as readRow } from '../../store/campaigns.ts';
import { type CampaignsDeps, presentCampaign } from './campaigns.ts';

const PAST = { start: 'started', pause: 'paused', resume: 'resumed', end: 'ended' } as const;

/** draft → live ⇄ paused → ended. Moving to where it is already changes nothing; nothing leaves `ended`. */
export async function moveCampaign(
  { access }: CampaignsDeps,
  orgId: string,
  id: string,
  move: CampaignMove,
  actor: Actor,
): Promise<CampaignRecord> {
  const { from, to } = CAMPAIGN_MOVES[move];
  const { result } = await access.change({ kind: 'campaign', id }, async (tx) => {
    const moved = await moveRow(tx, orgId, id, from, to);
    if (moved) {
      await recordAudit(tx, { orgId, actor, action: `campaign.${PAST[move]}`, subjectId: id });
      return presentCampaign(moved);
    }
    const row = await readRow(tx, orgId, id);
    if (!row) throw new Refusal('campaign_not_found');
    if (row.state === to) return presentCampaign(row);
    throw new Refusal('campaign_not_open', `A campaign that is ${row.state} cannot be ${PAST[move]}.`);
  });
  return result;
}

export async function renameCampaign(
  { db }: CampaignsDeps,
  orgId: string,
  id: string,
  name: string,
  actor: Actor,
): Promise<CampaignRecord> {
  return db.transaction(async (tx) => {
    const row = await changeCampaign(tx, orgId, id, { name });
    if (!row) throw new Refusal('campaign_not_found');
    await recordAudit(tx, { orgId, actor, action: 'campaign.renamed', subjectId: id, facts: { name } });
    return presentCampaign(row);
  });
}

/** Its key stays active and revocable, and gets 404. */
export async function deleteCampaign(
  { access }: CampaignsDeps,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await access.change({ kind: 'campaign', id }, async (tx) => {
    const row = await changeCampaign(tx, orgId, id, { deletedAt: new Date() });
    if (!row) throw new Refusal('campaign_not_found');
    await recordAudit(tx, { orgId, actor, action: 'campaign.deleted', subjectId: id, facts: { name: row.name } });
  });
}
