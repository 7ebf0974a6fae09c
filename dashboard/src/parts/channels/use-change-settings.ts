import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { call, type Problem } from '../../api/client.ts';
import { refetch } from '../../api/queries.ts';

type Settings = Record<string, unknown>;

/**
 * Changes the settings of a channel. A request replaces all settings, so the change applies to the newest ones, which
 * another member may have changed.
 */
export function useChangeSettings(params: { org_id: string; channel_id: string }) {
  const client = useQueryClient();
  return useMutation<ConnectedChannel, Problem, (newest: Settings) => Settings>({
    mutationFn: async (change) => {
      const newest = await call('readChannel', { params });
      return call('updateChannel', { params, body: { settings: change(newest.settings) } });
    },
    onSuccess: () => refetch(client, ['readChannel', 'listChannels']),
  });
}
