import {
  QueryCache,
  QueryClient,
  MutationCache,
  hashKey,
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
 * The hooks of this file read and change data through the one client. The route and the input identify a read, so a
 * change can name the routes to read again, as in `useAct('setMemberRole', { refresh: ['listMembers'] })`.
 */
const listeners = new Set<(problem: Problem) => void>();
const tell = (error: unknown): void => {
  if (error instanceof Problem) for (const listener of listeners) listener(error);
};

/** The listener is called for every failed call. The shell shows the sign-in page with such a listener. */
export function onProblem(listener: (problem: Problem) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: tell }),
  mutationCache: new MutationCache({ onError: tell }),
  defaultOptions: {
    queries: {
      // The server is often on the same machine, so the browser's network state is not meaningful.
      networkMode: 'always',
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // With this network mode, a failed read is not repeated automatically. Without a read on reconnect, the error
      // would stay until the next regular read.
      refetchOnReconnect: true,
      // A retry would get the same refusal, but may succeed after a lost connection.
      retry: (failures, error) => failures < 1 && error instanceof Problem && error.status === 0,
      retryDelay: 500,
    },
    // The input and the result of an action may be secret, so they stay in memory only as long as their page.
    mutations: { networkMode: 'always', retry: false, gcTime: 0 },
  },
});

export const readOptions = <N extends DashboardRouteName>(name: N, input: Omit<CallInput<N>, 'signal' | 'body'>) =>
  queryOptions<AnswerOf<N>, Problem>({
    queryKey: [name, input.params ?? {}, input.query ?? {}],
    queryFn: ({ signal }) => call(name, { ...input, signal } as CallInput<N>),
  });

/** The interval for data that change events do not cover, such as old rows of a list. */
const CHECK_MS = 30_000;

type ReadExtras = {
  /** The interval in milliseconds between reads while the window is visible. */
  every?: number;
  /** The topic of the data, which is read again after a change event. While events arrive, other reads are rare. */
  live?: Topic;
  enabled?: boolean;
  staleTime?: number;
  /** True if the page shows the previous page or filter until the next page has loaded. */
  keep?: boolean;
  /** True: the data is also read while the window is hidden. */
  hidden?: boolean;
};

/**
 * True if the connection is lost, the calls are too many, or the server is temporarily unavailable. After another
 * refusal, a retry would get the same refusal.
 */
export const isTemporary = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);

export function useRead<N extends DashboardRouteName>(
  name: N,
  input: Omit<CallInput<N>, 'signal' | 'body'>,
  { every, live, enabled, staleTime, keep, hidden = false }: ReadExtras = {},
): UseQueryResult<AnswerOf<N>, Problem> {
  const options = readOptions(name, input);
  const client = useQueryClient();
  const state = useLiveState();
  const { queryKey } = options;
  useFollow((input.params as { org_id?: string } | undefined)?.org_id, live, hashKey(queryKey), {
    // This effect runs before the effect of `useQuery`, which then reads the data again.
    expire: () => client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' }),
    refresh: async () => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      await client.invalidateQueries({ queryKey, exact: true });
      // A first read in progress may have started before the change.
      if (isFirst) await client.invalidateQueries({ queryKey, exact: true });
      const error = client.getQueryState(queryKey)?.error;
      if (isTemporary(error)) throw error;
    },
  });
  const isLive = live !== undefined && state === 'live';
  // A change marks live data as old, so another part that shows the data does not read it again.
  const freshMs = staleTime ?? (isLive ? CHECK_MS : undefined);
  return useQuery({
    ...options,
    refetchInterval: isLive ? CHECK_MS : every,
    refetchIntervalInBackground: hidden,
    enabled,
    ...(freshMs !== undefined && { staleTime: freshMs }),
    ...(keep && { placeholderData: keepPreviousData }),
  } as ReturnType<typeof readOptions<N>>);
}

export function useAct<N extends DashboardRouteName>(name: N, { refresh }: { refresh: readonly DashboardRouteName[] }) {
  const client = useQueryClient();
  return useMutation<AnswerOf<N>, Problem, CallInput<N>>({
    mutationKey: [name],
    mutationFn: (input) => call(name, input),
    onSuccess: () => refetch(client, refresh),
  });
}

/** The promise resolves after every visible list has been read again. */
export async function refetch(client: QueryClient, names: readonly DashboardRouteName[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const lists = { queryKey: [name] };
      // A first read in progress may have started before the change, and this call does not restart it.
      const isEarly = client
        .getQueryCache()
        .findAll(lists)
        .some(({ state }) => state.data === undefined && state.fetchStatus === 'fetching');
      await client.invalidateQueries(lists);
      if (isEarly) await client.invalidateQueries(lists);
    }),
  );
}
