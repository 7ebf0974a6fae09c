import type { ApiKeysDeps } from '../../features/api-keys/deps.ts';
import { createApiKey } from '../../features/api-keys/create-api-key.ts';
import { listApiKeys } from '../../features/api-keys/list-api-keys.ts';
import { lowerKeyLimits } from '../../features/api-keys/lower-key-limits.ts';
import { readApiKey } from '../../features/api-keys/read-api-key.ts';
import { renameApiKey } from '../../features/api-keys/rename-api-key.ts';
import { revokeApiKey } from '../../features/api-keys/revoke-api-key.ts';
import { rotateApiKey } from '../../features/api-keys/rotate-api-key.ts';
import { shortenKeyNetworks } from '../../features/api-keys/shorten-key-networks.ts';
import { readKeyUsage } from '../../features/usage/read-key-usage.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** API keys of an organization. */
export const keyRoutes = ({ route, deps }: RouteDeps<ApiKeysDeps>): Route[] => [
  route('listKeys', ({ orgId, query: { limit: _limit, cursor: _cursor, ...filter }, paged }) =>
    paged(filter, (page) => listApiKeys(deps, orgId, filter, page)),
  ),
  route('createKey', ({ orgId, body, actor }) => createApiKey(deps, orgId, body, actor)),
  route('readKey', ({ orgId, params }) => readApiKey(deps, orgId, params.key_id)),
  route('renameKey', ({ orgId, params, body, actor }) => renameApiKey(deps, orgId, params.key_id, body.label, actor)),
  route('shortenKeyNetworks', ({ orgId, params, body, actor }) =>
    shortenKeyNetworks(deps, orgId, params.key_id, body.allowed_networks, actor),
  ),
  route('lowerKeyLimits', ({ orgId, params, body, actor }) => lowerKeyLimits(deps, orgId, params.key_id, body, actor)),
  route('rotateKey', ({ orgId, params, body, actor }) => rotateApiKey(deps, orgId, params.key_id, body.overlap, actor)),
  route('revokeKey', ({ orgId, params, actor }) => revokeApiKey(deps, orgId, params.key_id, actor)),
  route('readKeyUsage', ({ orgId, params, query: { range = '24h' } }) =>
    readKeyUsage(deps, orgId, params.key_id, range),
  ),
];
