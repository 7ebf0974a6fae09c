import type { CountedAudience } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { type EndUserFilter, listEndUsers } from '../../store/end-users/search.ts';
import { planPage } from '../../store/recipients/plan-page.ts';
import type { NewRecipient, AdditionOutcome } from '../../store/recipients/add-recipients.ts';
import { countByKind } from './count-outcomes.ts';
import type { CampaignsDeps } from './deps.ts';

const PAGE = 500;

type CountDeps = Pick<CampaignsDeps, 'db' | 'suppression' | 'findChannel'>;

/** Counts a page of the end users who match a filter, as an addition would add them. The count adds no one. */
export async function countFilterAddition(
  deps: CountDeps,
  orgId: string,
  id: string,
  { filter, after }: { filter: EndUserFilter; after: string | undefined },
): Promise<CountedAudience> {
  const plan = await planPages(deps, orgId, id);
  // People are listed in the order of their IDs, so the time is unused.
  const page = after === undefined ? null : { id: after, createdAt: new Date(0) };
  const { rows: endUsers, hasMore } = await listEndUsers(deps.db, orgId, filter, { limit: PAGE, after: page });
  const recipients = endUsers.map((endUser) => ({
    endUser: { id: endUser.id },
    variables: {},
    sendAt: null,
    ref: null,
  }));
  return { ...countByKind(await plan(recipients)), next: hasMore ? endUsers.at(-1)!.id : null };
}

/** Plans pages of recipients one after the other, as an addition to the campaign would. */
export async function planPages({ db, suppression, findChannel }: CountDeps, orgId: string, campaignId: string) {
  const campaign = await readCampaign(db, orgId, campaignId);
  if (!campaign) throw new Refusal('campaign_not_found');
  const channel = await findChannel(orgId, campaign.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  const before = { people: new Set<never>(), enrolled: new Map() };
  const call = {
    orgId,
    keyId: null,
    from: null,
    campaignId,
    channelId: campaign.channelId,
    channelKind: channel.kind,
    requestId: null,
    dedupe: 'campaign' as const,
    idempotency: null,
  };
  return async (recipients: NewRecipient[]): Promise<AdditionOutcome[]> => {
    const planned = await planPage(db, { ...call, recipients }, suppression, before);
    return planned.map(({ outcome }) => outcome);
  };
}
