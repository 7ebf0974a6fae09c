import { Campaign } from '../../../../contract/campaigns.ts';
import { moveByKey } from '../../../features/campaigns/change-by-key.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, type CampaignRoutesDeps, keyCallerOf, TAG } from './campaign-access.ts';
import { exampleCampaign } from './examples.ts';

export const pauseCampaignRoute = (deps: CampaignRoutesDeps): Route =>
  move(deps, 'pause', {
    id: 'pauseCampaign',
    summary: 'Pause the campaign',
    description:
      'After the response, nothing more is sent and no recipients are accepted. Messages for which a provider call is already in progress are still sent. Waiting recipients stay in the campaign.',
    examples: { 200: { ...exampleCampaign, state: 'paused' } },
  });

export const resumeCampaignRoute = (deps: CampaignRoutesDeps): Route =>
  move(deps, 'resume', {
    id: 'resumeCampaign',
    summary: 'Resume the campaign',
    description: 'The campaign continues where it was paused.',
    examples: { 200: exampleCampaign },
  });

const move = (
  deps: CampaignRoutesDeps,
  verb: 'pause' | 'resume',
  operation: Omit<Route['operation'], 'tag'>,
): Route => ({
  method: 'POST',
  path: `/api/campaigns/:campaign_id/${verb}`,
  ...ACCESS,
  operation: { ...operation, tag: TAG },
  idempotent: true,
  responses: { 200: Campaign },
  problems: ['campaign_not_open'],
  async handle(request, reply) {
    const done = await moveByKey(deps, keyCallerOf(request), request.admission.campaign!.id, verb);
    if (done.replayed) reply.header('idempotent-replayed', 'true');
    return done.body;
  },
});
