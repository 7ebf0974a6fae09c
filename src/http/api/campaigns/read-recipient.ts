import { Recipient } from '../../../../contract/campaigns.ts';
import { readRecipient } from '../../../features/campaigns/recipients.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, type CampaignRoutesDeps, recipientIdOf, TAG } from './campaign-access.ts';
import { exampleRecipient } from './examples.ts';

export const readRecipientRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/campaigns/:campaign_id/recipients/:recipient_id',
  ...ACCESS,
  operation: { id: 'readRecipient', summary: 'Read a recipient', tag: TAG, examples: { 200: exampleRecipient } },
  responses: { 200: Recipient },
  problems: ['recipient_not_found'],
  handle: (request) =>
    readRecipient(deps, request.admission.caller.orgId, request.admission.campaign!.id, recipientIdOf(request)),
});
