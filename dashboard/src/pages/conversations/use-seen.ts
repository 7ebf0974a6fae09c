import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { useOrganization, useSession } from '../../session/session.ts';

/** Marks a conversation that members answer as read when it becomes visible. */
export function useSeen({ id, status, messages, notes }: ConversationRecord): void {
  const org_id = useOrganization().id;
  const { mutate } = useAct('markConversationSeen', { refresh: ['listConversations', 'countConversations'] });
  const inSight = useDocumentVisibility() === 'visible';
  const newest = messages.at(-1)?.id;
  const me = useSession().user.id;
  const named = notes.findLast(({ mentions }) => mentions.includes(me))?.id;
  useEffect(() => {
    if (inSight && (status === 'handed_off' || named !== undefined))
      mutate({ params: { org_id, conversation_id: id } });
  }, [inSight, status, newest, named, mutate, org_id, id]);
}
