import type { AddAudienceBody, AddedAudience } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { type EndUserFilter, listEndUsers } from '../../store/end-users/search.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { planRecipients, pushRecipients, type PushOutcome } from '../../store/recipients/push.ts';
import type { CampaignsDeps } from './deps.ts';

const PAGE = 500;

/**
 * Adds a page of the end users who match a filter, by the same statement as a push with the campaign's key. A person
 * who is enrolled already is a duplicate, so a page that is sent again adds no one twice.
 */
export async function addAudience(
  { db, suppression, findChannel, onPushed }: Pick<CampaignsDeps, 'db' | 'suppression' | 'findChannel' | 'onPushed'>,
  orgId: string,
  id: string,
  { filter, after, dry_run: isDry = false }: Omit<AddAudienceBody, 'filters'> & { filter: EndUserFilter },
  actor: Actor,
): Promise<AddedAudience> {
  const campaign = await readCampaign(db, orgId, id);
  if (!campaign) throw new Refusal('campaign_not_found');
  const channel = await findChannel(orgId, campaign.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  // The fence decides; this refuses before people are read.
  if (!isDry && campaign.state !== 'live') throw new Refusal('campaign_not_open');
  // People are listed by their ids alone.
  const page = after === undefined ? null : { id: after, createdAt: new Date(0) };
  const { rows: people, hasMore } = await listEndUsers(db, orgId, filter, { limit: PAGE, after: page });
  const call = {
    orgId,
    keyId: null,
    from: null,
    campaignId: id,
    channelKind: channel.kind,
    requestId: actor.requestId,
    dedupe: 'campaign' as const,
    recipients: people.map((person) => ({ endUser: { id: person.id }, variables: {}, sendAt: null, ref: null })),
    idempotency: null,
    answer: (outcomes: readonly PushOutcome[]) => ({ status: 200, body: JSON.stringify(counted(outcomes)) }),
  };
  const { answer } = await (isDry ? planRecipients : pushRecipients)(db, call, suppression);
  if (!isDry) {
    // Once for each audience, not for each of its pages. Values of filters may be about people.
    const facts = { filters: Object.keys(filter).filter((name) => filter[name as keyof EndUserFilter] !== undefined) };
    if (after === undefined)
      await recordAudit(db, { orgId, actor, action: 'campaign.audience_added', subjectId: id, facts });
    onPushed();
  }
  return { ...(JSON.parse(answer.body) as ReturnType<typeof counted>), next: hasMore ? people.at(-1)!.id : null };
}

/** Outcomes of a push by what became of them. */
export const counted = (outcomes: readonly PushOutcome[]) => {
  const count = (isOne: (outcome: PushOutcome) => boolean): number => outcomes.filter(isOne).length;
  return {
    accepted: count(({ kind }) => kind === 'pending'),
    duplicates: count(({ kind }) => kind === 'duplicate'),
    opted_out: count((one) => one.kind === 'suppressed' && one.reason === 'opted_out'),
    blocked: count((one) => one.kind === 'suppressed' && one.reason === 'blocked'),
    invalid: count(({ kind }) => kind === 'invalid'),
  };
};
