import { Recipient } from '../../../../contract/campaigns.ts';
import { readRecipient } from '../../../features/campaigns/recipients.ts';
import type { Route } from '../../route/route.ts';
import { type CampaignRoutesDeps, exampleRecipient, FAMILY, recipientIdOf, TAG } from './family.ts';

export const readRecipientRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/campaigns/:campaign_id/recipients/:recipient_id',
  ...FAMILY,
  operation: { id: 'readRecipient', summary: 'Read a recipient', tag: TAG, examples: { 200: exampleRecipient } },
  responses: { 200: Recipient },
  problems: ['recipient_not_found'],
  handle: (request) =>
    readRecipient(deps, request.admission.caller.orgId, request.admission.campaign!.id, recipientIdOf(request)),
});
