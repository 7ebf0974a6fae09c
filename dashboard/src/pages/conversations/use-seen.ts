import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';

/** What people answer is not new to the reader any more once it is in sight. */
export function useSeen({ id, status, messages }: ConversationRecord): void {
  const org_id = useOrganization().id;
  const { mutate } = useAct('markConversationSeen', { refresh: ['listConversations'] });
  const inSight = useDocumentVisibility() === 'visible';
  const newest = messages.at(-1)?.id;
  useEffect(() => {
    if (inSight && status === 'handed_off') mutate({ params: { org_id, conversation_id: id } });
  }, [inSight, status, newest, mutate, org_id, id]);
}
