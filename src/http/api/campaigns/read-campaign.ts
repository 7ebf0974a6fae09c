import { Campaign } from '../../../../contract/campaigns.ts';
import { readForKey } from '../../../features/campaigns/change-by-key.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, type CampaignRoutesDeps, TAG } from './campaign-access.ts';
import { exampleCampaign } from './examples.ts';

export const readCampaignRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/campaigns/:campaign_id',
  ...ACCESS,
  operation: {
    id: 'readCampaign',
    summary: 'Read the campaign',
    description: 'The campaign’s state, schedule and rate limit, and how many recipients are in each status.',
    tag: TAG,
    examples: { 200: exampleCampaign },
  },
  responses: { 200: Campaign },
  handle: (request) => readForKey(deps, request.admission.caller.orgId, request.admission.campaign!.id),
});
