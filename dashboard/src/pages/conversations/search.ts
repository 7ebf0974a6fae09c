import { oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

/** The contract's list, without the schemas that stand beside it there. */
export const STATUSES = ['open', 'handed_off', 'resolved'] as const;
export type ConversationStatus = (typeof STATUSES)[number];

export type ConversationsSearch = {
  text?: string;
  status?: ConversationStatus;
  agent_id?: string;
  channel_id?: string;
  end_user_id?: string;
  cursor?: string;
};
export const readConversationsSearch = (raw: RawSearch): ConversationsSearch => ({
  text: textIn(raw, 'text'),
  status: oneOfIn(raw, 'status', STATUSES),
  agent_id: textIn(raw, 'agent_id'),
  channel_id: textIn(raw, 'channel_id'),
  end_user_id: textIn(raw, 'end_user_id'),
  cursor: textIn(raw, 'cursor'),
});

/** What to read again after a new message or a take-over. */
export const READ_AGAIN = ['readConversation', 'listConversations', 'readOverview'] as const;
