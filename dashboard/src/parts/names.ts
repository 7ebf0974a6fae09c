import { MAX_PAGE } from '../../../contract/limits.ts';
import { useQueries } from '@tanstack/react-query';
import { readOptions, useRead } from '../api/queries.ts';
import { useOrganization, useSession } from '../session/session.ts';

/**
 * The names for the IDs in a list of keys. One request reads the first hundred. The few others are read one by one.
 * `undefined`: not known yet. `null`: gone.
 */
export type NameOf = (id: string) => string | null | undefined;
const KEPT_MS = 30_000;

export function useAgentNames(ids: readonly string[]): NameOf {
  const org_id = useOrganization().id;
  const known = useRead('listAgents', { params: { org_id }, query: { limit: MAX_PAGE } }, { staleTime: KEPT_MS });
  const names = new Map(known.data?.data.map(({ id, name }) => [id, name]));
  const missing = known.data ? [...new Set(ids)].filter((id) => !names.has(id)) : [];
  const single = useQueries({
    queries: missing.map((agent_id) => ({
      ...readOptions('readAgent', { params: { org_id, agent_id } }),
      staleTime: KEPT_MS,
      retry: false,
    })),
  });
  return (id) => names.get(id) ?? goneOrUnknown(single[missing.indexOf(id)]);
}

export function useCampaignNames(ids: readonly string[]): NameOf {
  const org_id = useOrganization().id;
  const known = useRead(
    'listCampaigns',
    { params: { org_id }, query: { limit: MAX_PAGE } },
    { staleTime: KEPT_MS, enabled: ids.length > 0 },
  );
  const names = new Map(known.data?.data.map(({ id, name }) => [id, name]));
  const missing = known.data ? [...new Set(ids)].filter((id) => !names.has(id)) : [];
  const single = useQueries({
    queries: missing.map((campaign_id) => ({
      ...readOptions('readCampaign', { params: { org_id, campaign_id } }),
      staleTime: KEPT_MS,
      retry: false,
    })),
  });
  return (id) => names.get(id) ?? goneOrUnknown(single[missing.indexOf(id)]);
}

export function useMemberNames(): NameOf {
  const org_id = useOrganization().id;
  const { user } = useSession();
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: KEPT_MS });
  const names = new Map(members.data?.data.map(({ user_id, name }) => [user_id, name]));
  return (id) => (id === user.id ? user.name : (names.get(id) ?? (members.data ? null : undefined)));
}

const goneOrUnknown = (
  read: { data?: { name: string }; error: { status: number } | null } | undefined,
): string | null | undefined => read?.data?.name ?? (read?.error?.status === 404 ? null : undefined);
