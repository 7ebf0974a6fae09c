import { Recipient } from '../../../../contract/campaigns.ts';
import { cancelRecipient } from '../../../features/campaigns/recipients.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, type CampaignRoutesDeps, keyCallerOf, recipientIdOf, TAG } from './campaign-access.ts';
import { exampleRecipient } from './examples.ts';

export const cancelRecipientRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'DELETE',
  path: '/api/campaigns/:campaign_id/recipients/:recipient_id',
  ...ACCESS,
  operation: {
    id: 'cancelRecipient',
    summary: 'Cancel a recipient',
    description:
      'A first message that was not sent yet is not sent. If the first message was sent, the agent does not reply from now on. Cancelling twice has the same effect as once.',
    tag: TAG,
    examples: { 200: { ...exampleRecipient, status: 'cancelled' } },
  },
  responses: { 200: Recipient },
  problems: ['recipient_not_found', 'recipient_finished'],
  handle: (request) =>
    cancelRecipient(deps, keyCallerOf(request), request.admission.campaign!.id, recipientIdOf(request)),
});
