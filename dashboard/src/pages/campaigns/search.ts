import type { RecipientStatus } from '../../../../contract/campaigns.ts';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

type CampaignsSearch = { text?: string; agent_id?: string; cursor?: string; create?: string };
export const readCampaignsSearch = (raw: RawSearch): CampaignsSearch => ({
  text: textIn(raw, 'text'),
  agent_id: textIn(raw, 'agent_id'),
  cursor: textIn(raw, 'cursor'),
  create: raw['create'] === undefined ? undefined : '',
});

/**
 * A copy of the contract's list, because an import would also load schemas. The statuses are in the order of a
 * recipient's progress.
 */
export const STATUSES = [
  'pending',
  'waiting_window',
  'sending',
  'sent',
  'delivered',
  'read',
  'replied',
  'completed',
  'suppressed',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly RecipientStatus[];

export const CAMPAIGN_TABS = ['people', 'progress', 'results', 'settings', 'rehearsal', 'keys'] as const;
export type CampaignTab = (typeof CAMPAIGN_TABS)[number];

/** Returns the tab that is shown if the URL names no tab. For a draft, the first tab is "People". */
export const firstTab = (state: CampaignRecord['state']): CampaignTab => (state === 'draft' ? 'people' : 'progress');

/**
 * `cursor`: the cursor of the list in the tab. `created`: the ID of the new key, for a reload while its value is shown.
 */
export type CampaignSearch = {
  tab?: CampaignTab;
  status?: RecipientStatus;
  ref?: string;
  cursor?: string;
  created?: string;
};
export const readCampaignSearch = (raw: RawSearch): CampaignSearch => ({
  tab: oneOfIn(raw, 'tab', CAMPAIGN_TABS),
  status: oneOfIn(raw, 'status', STATUSES),
  ref: textIn(raw, 'ref')?.slice(0, 255),
  cursor: textIn(raw, 'cursor'),
  created: textIn(raw, 'created'),
});

/** The routes to read again after a campaign was changed or moved. */
export const READ_AGAIN = ['readCampaign', 'listCampaigns', 'listRecipients', 'listAudit'] as const;
/** The interval of reads without a live connection. */
export const LOOK_AGAIN_MS = 3_000;

/** A link to the place where recipients are added. */
export const AUDIENCE = 'audience';
