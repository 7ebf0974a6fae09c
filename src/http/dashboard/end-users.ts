import type { QueryOf } from '../../../contract/dashboard/routes.ts';
import type { EndUser } from '../../../contract/end-users.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';
import { download } from './download.ts';

/** End users. */
export const endUserRoutes = ({ route, room: { endUsers } }: Desk): Route[] => [
  route('listEndUsers', ({ orgId, query, paged }) => {
    const { text, tag, attribute, blocked } = query;
    return paged({ text, tag, attribute, blocked }, (page) => endUsers.list(orgId, filterOf(query), page));
  }),
  route('createEndUser', async ({ orgId, body }) => {
    const { body: made } = await endUsers.create({ orgId, keyId: null, from: null }, body);
    return JSON.parse(made) as EndUser;
  }),
  route('exportEndUsers', async ({ orgId, query, reply }) =>
    download(reply, {
      name: 'end-users.csv',
      type: 'text/csv; charset=utf-8',
      parts: await endUsers.exportAll(orgId, filterOf(query)),
    }),
  ),
  route('readEndUser', ({ orgId, params }) => endUsers.read(orgId, params.end_user_id)),
  route('updateEndUser', ({ orgId, params, body }) =>
    endUsers.update({ orgId, keyId: null, from: null }, params.end_user_id, body),
  ),
  route('eraseEndUser', ({ orgId, params, actor }) =>
    endUsers.erase({ orgId, keyId: null, from: null }, params.end_user_id, actor),
  ),
  route('setEndUserConsent', ({ orgId, params, body }) =>
    endUsers.setConsent({ orgId, keyId: null, from: null }, params.end_user_id, params.channel_kind, {
      source: 'dashboard',
      ...body,
    }),
  ),
  route('exportEndUser', async ({ orgId, params: { end_user_id: id }, reply }) =>
    download(reply, {
      name: `${id}.json`,
      type: 'application/json; charset=utf-8',
      parts: await endUsers.export(orgId, id),
    }),
  ),
];

function filterOf({ text, tag, attribute, blocked }: QueryOf<'exportEndUsers'>) {
  const split = attribute?.indexOf('=') ?? -1;
  return {
    text,
    blocked,
    tags: tag === undefined ? undefined : [tag],
    attributes: attribute === undefined ? undefined : { [attribute.slice(0, split)]: attribute.slice(split + 1) },
  };
}
