import { Type } from 'typebox';
import { Recipient, RECIPIENT_STATUSES } from '../../../../contract/campaigns.ts';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { pageOf } from '../../route/page-schema.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import { listRecipients } from '../../../features/campaigns/recipients.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, type CampaignRoutesDeps, TAG } from './campaign-access.ts';
import { exampleRecipient } from './examples.ts';

type Query = { limit?: number; cursor?: string; status?: string; ref?: string };

export const listRecipientsRoute = (deps: CampaignRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/campaigns/:campaign_id/recipients',
  ...ACCESS,
  operation: {
    id: 'listRecipients',
    summary: 'List recipients',
    description: 'Newest first. Filters: `status` and `ref`.',
    tag: TAG,
    examples: { 200: { data: [exampleRecipient], next_cursor: null, has_more: false } },
  },
  query: Type.Object({
    ...PageQuery,
    status: Type.Optional(Type.Enum(RECIPIENT_STATUSES)),
    ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  }),
  responses: { 200: pageOf(Recipient, 'RecipientPage') },
  async handle(request) {
    const { caller, campaign } = request.admission;
    const { limit = DEFAULT_PAGE, cursor, status, ref } = request.query as Query;
    const scope = cursorScope('recipients', caller.orgId, { campaign: campaign!.id, status, ref });
    const page = { limit, after: deps.paging.after(scope, cursor) };
    return deps.paging.page(scope, await listRecipients(deps, caller.orgId, campaign!.id, { status, ref }, page));
  },
});
