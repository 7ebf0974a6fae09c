import { Campaign } from '../../../../contract/campaigns.ts';
import { readForKey } from '../../../features/campaigns/key-verbs.ts';
import type { Route } from '../../route/route.ts';
import { type CampaignRoutesDeps, exampleCampaign, FAMILY, TAG } from './family.ts';

export const readCampaignRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/campaigns/:campaign_id',
  ...FAMILY,
  operation: {
    id: 'readCampaign',
    summary: 'Read the campaign',
    description: 'Its state, its schedule and rate limit, and how many recipients are in each status.',
    tag: TAG,
    examples: { 200: exampleCampaign },
  },
  responses: { 200: Campaign },
  handle: (request) => readForKey(deps, request.admission.caller.orgId, request.admission.campaign!.id),
});
