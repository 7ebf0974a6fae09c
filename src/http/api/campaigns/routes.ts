import type { Route } from '../../route/route.ts';
import { cancelRecipientRoute } from './cancel-recipient.ts';
import type { CampaignRoutesDeps } from './campaign-access.ts';
import { listRecipientsRoute } from './list-recipients.ts';
import { pauseCampaignRoute, resumeCampaignRoute } from './move-campaign.ts';
import { pushRecipientsRoute } from './push-recipients.ts';
import { readCampaignRoute } from './read-campaign.ts';
import { readRecipientRoute } from './read-recipient.ts';

export const campaignRoutes = (deps: CampaignRoutesDeps): Route[] => [
  readCampaignRoute(deps), // GET /api/campaigns/:campaign_id
  pushRecipientsRoute(deps), // POST …/recipients
  listRecipientsRoute(deps), // GET …/recipients
  readRecipientRoute(deps), // GET …/recipients/:recipient_id
  cancelRecipientRoute(deps), // DELETE …/recipients/:recipient_id
  pauseCampaignRoute(deps), // POST …/pause
  resumeCampaignRoute(deps), // POST …/resume
];
