import { getRouteApi } from '@tanstack/react-router';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';
import type { ActivitySearch } from './search.ts';

const route = getRouteApi('/inside/activity');

/** The URL contains the ID of the request whose details are open, so that links can open it. */
export function useOpenRequest(): { opened: string | undefined; close: () => void } {
  const { request } = route.useSearch();
  const navigate = route.useNavigate();
  return {
    opened: request,
    close: () =>
      void navigate({
        to: '.',
        search: (before: ActivitySearch) => ({ ...before, request: undefined }),
        resetScroll: false,
      }),
  };
}

/** Reads the labels of the newest keys, including revoked keys. */
export function useRequestKeys() {
  const org_id = useOrganization().id;
  const keys = useRead(
    'listKeys',
    { params: { org_id }, query: { state: 'all', limit: MAX_PAGE } },
    { staleTime: 30_000 },
  );
  const known = keys.data?.data ?? [];
  return {
    labelOf: (id: string): string | undefined => known.find((key) => key.id === id)?.label,
    prefixOf: (id: string): string | undefined => known.find((key) => key.id === id)?.prefix,
    options: (chosen: string | undefined): { value: string; label: string }[] => [
      ...known.map(({ id, label, prefix }) => ({ value: id, label: `${label} · ${prefix}…` })),
      ...(chosen && !known.some(({ id }) => id === chosen) ? [{ value: chosen, label: chosen }] : []),
    ],
  };
}
