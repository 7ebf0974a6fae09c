import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** API keys of an organization. */
export const keyRoutes = ({ route, room: { keys } }: Desk): Route[] => [
  route('listKeys', ({ orgId, query: { limit: _limit, cursor: _cursor, ...filter }, paged }) =>
    paged(filter, (page) => keys.list(orgId, filter, page)),
  ),
  route('createKey', ({ orgId, body, actor }) => keys.create(orgId, body, actor)),
  route('readKey', ({ orgId, params }) => keys.read(orgId, params.key_id)),
  route('renameKey', ({ orgId, params, body, actor }) => keys.rename(orgId, params.key_id, body.label, actor)),
  route('shortenKeyNetworks', ({ orgId, params, body, actor }) =>
    keys.shortenNetworks(orgId, params.key_id, body.allowed_networks, actor),
  ),
  route('rotateKey', ({ orgId, params, body, actor }) => keys.rotate(orgId, params.key_id, body.overlap, actor)),
  route('revokeKey', ({ orgId, params, actor }) => keys.revoke(orgId, params.key_id, actor)),
  ...(keys.usage
    ? [route('readKeyUsage', ({ orgId, params, query: { range = '24h' } }) => keys.usage!(orgId, params.key_id, range))]
    : []),
];
