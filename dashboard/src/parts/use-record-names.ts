import { MAX_PAGE } from '../../../contract/limits.ts';
import { useQueries, type UseQueryOptions } from '@tanstack/react-query';
import type { Problem } from '../api/client.ts';
import { readOptions, useRead } from '../api/queries.ts';
import { useOrganization, useSession } from '../session/session.ts';

/** `undefined`: the name is not known yet. `null`: the record was deleted. */
export type NameOf = (id: string) => string | null | undefined;
const STALE_MS = 30_000;

export function useAgentNames(ids: readonly string[]): NameOf {
  const org_id = useOrganization().id;
  const list = useRead('listAgents', { params: { org_id }, query: { limit: MAX_PAGE } }, { staleTime: STALE_MS });
  return useNames(list.data?.data, ids, (agent_id) => readOptions('readAgent', { params: { org_id, agent_id } }));
}

export function useCampaignNames(ids: readonly string[]): NameOf {
  const org_id = useOrganization().id;
  const list = useRead(
    'listCampaigns',
    { params: { org_id }, query: { limit: MAX_PAGE } },
    { staleTime: STALE_MS, enabled: ids.length > 0 },
  );
  return useNames(list.data?.data, ids, (campaign_id) =>
    readOptions('readCampaign', { params: { org_id, campaign_id } }),
  );
}

export function useMemberNames(): NameOf {
  const org_id = useOrganization().id;
  const { user } = useSession();
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: STALE_MS });
  const names = new Map(members.data?.data.map(({ user_id, name }) => [user_id, name]));
  return (id) => (id === user.id ? user.name : (names.get(id) ?? (members.data ? null : undefined)));
}

/** `list`: the first page of all records. Records that are not on the first page are read one by one. */
function useNames<Named extends { name: string }>(
  list: readonly { id: string; name: string }[] | undefined,
  ids: readonly string[],
  read: (id: string) => UseQueryOptions<Named, Problem>,
): NameOf {
  const names = new Map(list?.map(({ id, name }) => [id, name]));
  const missing = list ? [...new Set(ids)].filter((id) => !names.has(id)) : [];
  const single = useQueries({ queries: missing.map((id) => ({ ...read(id), staleTime: STALE_MS, retry: false })) });
  return (id) => {
    const one = single[missing.indexOf(id)];
    return names.get(id) ?? one?.data?.name ?? (one?.error?.status === 404 ? null : undefined);
  };
}
