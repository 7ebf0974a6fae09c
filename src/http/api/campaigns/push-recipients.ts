import {
  MAX_RECIPIENTS,
  PushedRecipients,
  type PushRecipients as Body,
  PushRecipients,
  RecipientInput,
} from '../../../../contract/campaigns.ts';
import { addRecipients, readRow } from '../../../features/campaigns/add-recipients.ts';
import type { Route } from '../../route/route.ts';
import { compileBody } from '../../../kernel/validation/validate.ts';
import { ACCESS, type CampaignRoutesDeps, TAG } from './campaign-access.ts';
import { exampleRecipient } from './examples.ts';

/** A body of 256 KiB contains fewer keys than this limit. */
const PUSH_KEYS = 60_000;
const checkRecipient = compileBody(RecipientInput);

export const pushRecipientsRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/campaigns/:campaign_id/recipients',
  ...ACCESS,
  operation: {
    id: 'pushRecipients',
    summary: 'Push recipients into the campaign',
    description: `Up to ${MAX_RECIPIENTS} recipients (and 256 KiB) a call. Each recipient has its own result, in order: \`pending\` goes out at its time, \`duplicate\` is enrolled already, \`suppressed\` opted out or is blocked, \`invalid\` says why. Accepted (202) means stored: from then on a recipient is never lost. Hours and quiet hours are those of the recipient's time zone; outside of them a recipient is held, not dropped. People are found, or made; fields that are empty are filled, what is there stays, and \`unchanged\` names it.`,
    tag: TAG,
    example: {
      recipients: [
        {
          end_user: { external_id: 'crm-42', name: 'Asha', phone: '+97430000000', time_zone: 'Asia/Qatar' },
          ref: 'row-1',
        },
        { end_user: { phone: '12345' }, ref: 'row-2', variables: { voucher: 'WELCOME' } },
      ],
      dedupe: 'campaign',
    },
    examples: {
      202: {
        accepted: 1,
        duplicates: 0,
        suppressed: 0,
        invalid: 1,
        results: [
          { index: 0, ref: 'row-1', recipient_id: exampleRecipient.id, status: 'pending', reason: null },
          {
            index: 1,
            ref: 'row-2',
            recipient_id: null,
            status: 'invalid',
            reason: 'format',
            errors: [
              {
                pointer: '/end_user/phone',
                code: 'format',
                detail: 'Must be a phone number in E.164, such as +97430000000.',
              },
            ],
          },
        ],
      },
    },
  },
  body: PushRecipients,
  bodyKeys: PUSH_KEYS,
  idempotent: true,
  responses: { 202: PushedRecipients },
  problems: ['campaign_not_open', 'channel_disabled'],
  async handle(request, reply) {
    const { recipients, dedupe = 'campaign' } = request.body as Body;
    const { caller, from, campaign } = request.admission;
    const { answer, replayed } = await addRecipients(deps, {
      campaign: campaign!,
      caller: { ...caller, from },
      requestId: request.requestId,
      idempotency: request.idempotency,
      dedupe,
      rows: recipients.map((row) => readRow(checkRecipient, row)),
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    return answer.body;
  },
});
