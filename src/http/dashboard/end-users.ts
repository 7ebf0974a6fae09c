import { filterOf } from '../../kernel/end-user-filter.ts';
import type { EndUser } from '../../../contract/end-users.ts';
import type { EndUsersDeps } from '../../features/end-users/deps.ts';
import { eraseEndUser } from '../../features/end-users/erase-end-user.ts';
import { exportEndUser } from '../../features/end-users/export-end-user.ts';
import { exportEndUsers } from '../../features/end-users/export-end-users.ts';
import { listEndUserCampaigns } from '../../features/end-users/list-campaigns.ts';
import { listEndUsers, readEndUser } from '../../features/end-users/read-end-users.ts';
import { readAttributeOrder, setAttributeOrder } from '../../features/end-users/set-attribute-order.ts';
import { setConsent } from '../../features/end-users/set-consent.ts';
import { tagEndUsers } from '../../features/end-users/tag-end-users.ts';
import { createEndUser, updateEndUser } from '../../features/end-users/write-end-users.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** End users. */
export const endUserRoutes = ({ route, deps }: RouteDeps<EndUsersDeps>): Route[] => [
  route('listEndUsers', ({ orgId, query, paged }) => {
    const { text, tag, attribute, blocked } = query;
    return paged({ text, tag, attribute, blocked }, (page) => listEndUsers(deps, orgId, filterOf(query), page));
  }),
  route('createEndUser', async ({ orgId, body }) => {
    const { body: made } = await createEndUser(deps, { orgId, keyId: null, from: null }, body);
    return JSON.parse(made) as EndUser;
  }),
  route('tagEndUsers', ({ orgId, body }) => tagEndUsers(deps, orgId, body)),
  route('exportEndUsers', async ({ orgId, query, download }) =>
    download({
      name: 'end-users.csv',
      type: 'text/csv; charset=utf-8',
      parts: await exportEndUsers(deps, orgId, filterOf(query)),
    }),
  ),
  route('readEndUser', ({ orgId, params }) => readEndUser(deps, orgId, params.end_user_id)),
  route('listEndUserCampaigns', async ({ orgId, params }) => ({
    data: await listEndUserCampaigns(deps, orgId, params.end_user_id),
  })),
  route('readAttributeOrder', ({ orgId }) => readAttributeOrder(deps, orgId)),
  route('setAttributeOrder', ({ orgId, body, actor }) => setAttributeOrder(deps, orgId, body, actor)),
  route('updateEndUser', ({ orgId, params, body }) =>
    updateEndUser(deps, { orgId, keyId: null, from: null }, params.end_user_id, body),
  ),
  route('eraseEndUser', ({ orgId, params, actor }) =>
    eraseEndUser(deps, { orgId, keyId: null, from: null }, params.end_user_id, actor),
  ),
  route('setEndUserConsent', ({ orgId, params, body }) =>
    setConsent(deps, { orgId, keyId: null, from: null }, params.end_user_id, params.channel_kind, {
      source: 'dashboard',
      ...body,
    }),
  ),
  route('exportEndUser', async ({ orgId, params: { end_user_id: id }, download }) =>
    download({
      name: `${id}.json`,
      type: 'application/json; charset=utf-8',
      parts: await exportEndUser(deps, orgId, id),
    }),
  ),
];
