import {
  MAX_STORED_ADDITIONS,
  MAX_OPEN_ADDITIONS,
  type AdditionRecord,
} from '../../../contract/dashboard/additions.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import {
  countOpenAdditions,
  deleteOldAdditions,
  insertAddition,
  readOpenAdditionId,
  readAddition,
} from '../../store/campaigns/additions.ts';
import { lockOrganization } from '../../store/documents.ts';
import type { EndUserFilter } from '../../store/end-users/search.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { allOf } from './count-file-addition.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentAddition } from './present-addition.ts';
import { parseRecipients } from './parse-recipients.ts';

/**
 * Queues an audience for a worker (src/worker/campaigns/addition-worker.ts). The file is read to its end before the
 * addition, so a broken file is refused and adds no one. The recipients of a draft wait for the start of the campaign.
 */
export async function startAddition(
  { db, wake }: Pick<CampaignsDeps, 'db' | 'wake'>,
  orgId: string,
  campaignId: string,
  people: { filter: EndUserFilter } | { file: string },
  actor: Actor,
): Promise<AdditionRecord> {
  const campaign = await readCampaign(db, orgId, campaignId);
  if (!campaign) throw new Refusal('campaign_not_found');
  if (campaign.state !== 'live' && campaign.state !== 'draft') throw new Refusal('campaign_not_open');
  const id = newId('push');
  const row = { campaignId, id, createdBy: actor.userId, requestId: actor.requestId };
  const audience = 'file' in people ? await ofFile(people.file) : ofFilter(people.filter);
  const record = await db.transaction(async (tx) => {
    // The lock makes simultaneous starts check the limit one after the other.
    await lockOrganization(tx, orgId);
    if ((await countOpenAdditions(tx, orgId)) >= MAX_OPEN_ADDITIONS)
      throw new Refusal('import_not_ready', `${MAX_OPEN_ADDITIONS} are under way: wait until one ends, or stop one.`);
    if (!(await insertAddition(tx, orgId, { ...row, ...audience }))) return null;
    await deleteOldAdditions(tx, orgId, campaignId, MAX_STORED_ADDITIONS);
    // The values of filters may be personal data, so the audit log does not contain them.
    const facts = audience.source === 'file' ? { rows: audience.total } : { filters: audience.filterNames };
    await recordAudit(tx, { orgId, actor, action: 'campaign.audience_added', subjectId: campaignId, facts });
    return presentAddition((await readAddition(tx, orgId, campaignId, id))!);
  });
  if (record === null) {
    const open = await readOpenAdditionId(db, orgId, campaignId);
    const members = open === null ? {} : { members: { existing_id: open } };
    throw new Refusal(
      'already_exists',
      'An audience is being added to this campaign: wait, or stop the addition.',
      members,
    );
  }
  wake.additions();
  return record;
}

async function ofFile(file: string) {
  const rows = await allOf(parseRecipients(file));
  return { source: 'file', file, filter: null, filterNames: [] as string[], total: rows.length };
}

/** A worker selects the matching people when it adds them. */
export const ofFilter = (filter: EndUserFilter) => ({
  source: 'filters',
  file: null,
  filter,
  filterNames: Object.keys(filter).filter((name) => filter[name as keyof EndUserFilter] !== undefined),
  total: null,
});
