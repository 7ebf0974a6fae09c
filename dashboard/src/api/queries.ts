import {
  QueryCache,
  QueryClient,
  MutationCache,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { AnswerOf, DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import type { Topic } from '../../../contract/dashboard/changes.ts';
import { call, Problem, type CallInput } from './client.ts';
import { useFollow, useLiveState } from './live.ts';

/**
 * Reads and acts over the one client. A read is named by its route and input, so acting says which routes to read
 * again: `useAct('setMemberRole', { refresh: ['listMembers'] })`.
 */
const listeners = new Set<(problem: Problem) => void>();
const tell = (error: unknown): void => {
  if (error instanceof Problem) for (const listener of listeners) listener(error);
};

/** Told of every failed call: the shell leads to sign-in by it. */
export function onProblem(listener: (problem: Problem) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: tell }),
  mutationCache: new MutationCache({ onError: tell }),
  defaultOptions: {
    queries: {
      // The server is often this very machine: what the browser thinks of the network says nothing.
      networkMode: 'always',
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Not by itself with this mode; without it an error would stand for as long as a read waits for its next turn.
      refetchOnReconnect: true,
      // A refusal will be the same again; a lost connection may come back.
      retry: (failures, error) => failures < 1 && error instanceof Problem && error.status === 0,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

export const readOptions = <N extends DashboardRouteName>(name: N, input: Omit<CallInput<N>, 'signal' | 'body'>) =>
  queryOptions<AnswerOf<N>, Problem>({
    queryKey: [name, input.params ?? {}, input.query ?? {}],
    queryFn: ({ signal }) => call(name, { ...input, signal } as CallInput<N>),
  });

/** Where a page is told of changes: for what the news do not cover, such as rows far back in a list. */
const CHECK_MS = 30_000;

type ReadExtras = {
  /** Read again every so many milliseconds while the window is seen. */
  every?: number;
  /** What it shows: read again as soon as it changes, and only now and then as long as such news arrives. */
  live?: Topic;
  enabled?: boolean;
  staleTime?: number;
  /** Show the previous page or filter until the next has come. */
  keep?: boolean;
  /** Also while the window is hidden. */
  hidden?: boolean;
};

/** No connection, too many calls, or a server that cannot answer now. Any other refusal would be the same again. */
const isTemporary = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);

export function useRead<N extends DashboardRouteName>(
  name: N,
  input: Omit<CallInput<N>, 'signal' | 'body'>,
  { every, live, enabled, staleTime, keep, hidden = false }: ReadExtras = {},
): UseQueryResult<AnswerOf<N>, Problem> {
  const options = readOptions(name, input);
  const client = useQueryClient();
  const state = useLiveState();
  useFollow((input.params as { org_id?: string } | undefined)?.org_id, live, async () => {
    const { queryKey } = options;
    const isFirst = client.getQueryData(queryKey) === undefined;
    await client.invalidateQueries({ queryKey, exact: true });
    // A first read that was under way may have read too early.
    if (isFirst) await client.invalidateQueries({ queryKey, exact: true });
    const error = client.getQueryState(queryKey)?.error;
    if (isTemporary(error)) throw error;
  });
  return useQuery({
    ...options,
    refetchInterval: live && state === 'live' ? CHECK_MS : every,
    refetchIntervalInBackground: hidden,
    enabled,
    ...(staleTime !== undefined && { staleTime }),
    ...(keep && { placeholderData: keepPreviousData }),
  } as ReturnType<typeof readOptions<N>>);
}

export function useAct<N extends DashboardRouteName>(name: N, { refresh }: { refresh: readonly DashboardRouteName[] }) {
  const client = useQueryClient();
  return useMutation<AnswerOf<N>, Problem, CallInput<N>>({
    mutationFn: (input) => call(name, input),
    onSuccess: () => readAnew(client, refresh),
  });
}

/** Resolves once every list in sight has been read again. */
export async function readAnew(client: QueryClient, names: readonly DashboardRouteName[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const lists = { queryKey: [name] };
      // A first read that is under way may have read too early, and this does not restart it.
      const isEarly = client
        .getQueryCache()
        .findAll(lists)
        .some(({ state }) => state.data === undefined && state.fetchStatus === 'fetching');
      await client.invalidateQueries(lists);
      if (isEarly) await client.invalidateQueries(lists);
    }),
  );
}
