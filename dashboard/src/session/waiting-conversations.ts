import type { UseQueryResult } from '@tanstack/react-query';
import type { ConversationCounts } from '../../../contract/dashboard/conversations.ts';
import type { Problem } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { usePreferences } from '../preferences.ts';
import { useMaybeOrganization } from './session.ts';

/** Without a stream, a count has at most this age. */
const LOOK_AGAIN_MS = 30_000;
/** A copy of MAX_COUNTED of the contract, the server's maximum count. */
const MAX_COUNTED = 1_000;

/**
 * Reads the number of conversations that wait for members. Every window updates the number of waiting conversations.
 */
export function useWaitingConversations(): UseQueryResult<ConversationCounts, Problem> {
  const organization = useMaybeOrganization();
  return useRead(
    'countConversations',
    { params: { org_id: organization?.id ?? '' } },
    {
      every: LOOK_AGAIN_MS,
      live: 'waiting',
      enabled: organization !== null && !organization.second_factor_required,
      hidden: usePreferences().notify === true,
    },
  );
}

export const counted = (many: number): string => (many >= MAX_COUNTED ? `${MAX_COUNTED - 1}+` : String(many));
