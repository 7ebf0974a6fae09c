import type { Route } from '../../route/route.ts';
import { cancelRecipient } from './cancel-recipient.ts';
import type { CampaignRoutesDeps } from './family.ts';
import { listRecipients } from './list-recipients.ts';
import { pauseCampaign, resumeCampaign } from './move-campaign.ts';
import { pushRecipients } from './push-recipients.ts';
import { readCampaign } from './read-campaign.ts';
import { readRecipient } from './read-recipient.ts';

export const campaignRoutes = (deps: CampaignRoutesDeps): Route[] => [
  readCampaign(deps), // GET /api/campaigns/:campaign_id
  pushRecipients(deps), // POST …/recipients
  listRecipients(deps), // GET …/recipients
  readRecipient(deps), // GET …/recipients/:recipient_id
  cancelRecipient(deps), // DELETE …/recipients/:recipient_id
  pauseCampaign(deps), // POST …/pause
  resumeCampaign(deps), // POST …/resume
];
