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
 * Hooks for reading and changing data through the one client. The route and input identify a read, so a change can name
 * the routes to read again: `useAct('setMemberRole', { refresh: ['listMembers'] })`.
 */
const listeners = new Set<(problem: Problem) => void>();
const tell = (error: unknown): void => {
  if (error instanceof Problem) for (const listener of listeners) listener(error);
};

/** Called for every failed call. The shell uses it to show the sign-in page. */
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
      // In this mode, a failed read is not repeated automatically. Without a read on reconnect, the error would stay
      // until the next regular read.
      refetchOnReconnect: true,
      // A retry would get the same refusal, but after a lost connection it may succeed.
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

/** For pages with change events: the interval for data that the events do not cover, such as old rows of a list. */
const CHECK_MS = 30_000;

type ReadExtras = {
  /** The interval in milliseconds between reads while the window is visible. */
  every?: number;
  /** The topic of the data. The data is read again after a change event, and rarely otherwise while events arrive. */
  live?: Topic;
  enabled?: boolean;
  staleTime?: number;
  /** Shows the previous page or filter until the next has loaded. */
  keep?: boolean;
  /** Also reads while the window is hidden. */
  hidden?: boolean;
};

/**
 * There is no connection, too many calls, or the server is temporarily unavailable. After any other refusal, a retry
 * would get the same refusal.
 */
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
  const { queryKey } = options;
  useFollow((input.params as { org_id?: string } | undefined)?.org_id, live, hashKey(queryKey), {
    // This effect is before that of `useQuery`, which then reads the data again.
    expire: () => client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' }),
    refresh: async () => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      await client.invalidateQueries({ queryKey, exact: true });
      // A first read in progress may have started too early.
      if (isFirst) await client.invalidateQueries({ queryKey, exact: true });
      const error = client.getQueryState(queryKey)?.error;
      if (isTemporary(error)) throw error;
    },
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
    onSuccess: () => refetch(client, refresh),
  });
}

/** Resolves after every visible list has been read again. */
export async function refetch(client: QueryClient, names: readonly DashboardRouteName[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const lists = { queryKey: [name] };
      // A first read in progress may have started too early, and this call does not restart it.
      const isEarly = client
        .getQueryCache()
        .findAll(lists)
        .some(({ state }) => state.data === undefined && state.fetchStatus === 'fetching');
      await client.invalidateQueries(lists);
      if (isEarly) await client.invalidateQueries(lists);
    }),
  );
}
