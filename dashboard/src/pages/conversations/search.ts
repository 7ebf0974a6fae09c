import { momentIn, numberIn, oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

/** A copy of the contract's list, because an import would also load the schemas in that file. */
export const STATUSES = ['open', 'handed_off', 'resolved'] as const;
export type ConversationStatus = (typeof STATUSES)[number];

/** A copy of the contract's views. Without a view in the URL, the list shows all conversations. */
export const VIEWS = ['mine', 'unassigned', 'waiting', 'snoozed', 'mentions'] as const;
export type ConversationView = (typeof VIEWS)[number];

/** The orders of the list are a copy of the contract's orders. */
export const SORTS = ['latest', 'waiting', 'newest', 'oldest'] as const;
export type ConversationSort = (typeof SORTS)[number];

/** A copy of the contract's outcomes, which Analytics counts. */
export const OUTCOMES = [
  'answered',
  'handed_over',
  'unanswered',
  'replied',
  'team_replied',
  'rated',
  'with_cost',
] as const;
export type ConversationOutcome = (typeof OUTCOMES)[number];

/** A copy of the contract's groups of conversations without a member or a version. */
export const WITHOUT = ['member', 'version'] as const;
export type Without = (typeof WITHOUT)[number];

/** A copy of the contract's filter by rating, which is any score or one score. */
export const RATED = ['any', '1', '2', '3', '4', '5'] as const;
export type RatedFilter = (typeof RATED)[number];

export type ConversationsSearch = {
  view?: ConversationView;
  text?: string;
  status?: ConversationStatus;
  agent_id?: string;
  channel_id?: string;
  end_user_id?: string;
  tag?: string;
  since?: string;
  until?: string;
  handed_off?: true;
  outcome?: ConversationOutcome;
  without?: Without;
  version?: number;
  member_id?: string;
  trigger_id?: string;
  campaign_id?: string;
  rated?: RatedFilter;
  sort?: ConversationSort;
  cursor?: string;
};
export const readConversationsSearch = (raw: RawSearch): ConversationsSearch => ({
  view: oneOfIn(raw, 'view', VIEWS),
  text: textIn(raw, 'text'),
  status: oneOfIn(raw, 'status', STATUSES),
  agent_id: textIn(raw, 'agent_id'),
  channel_id: textIn(raw, 'channel_id'),
  end_user_id: textIn(raw, 'end_user_id'),
  tag: textIn(raw, 'tag'),
  since: momentIn(raw, 'since'),
  until: momentIn(raw, 'until'),
  handed_off: raw['handed_off'] === true ? true : undefined,
  outcome: oneOfIn(raw, 'outcome', OUTCOMES),
  without: oneOfIn(raw, 'without', WITHOUT),
  version: numberIn(raw, 'version'),
  member_id: textIn(raw, 'member_id'),
  trigger_id: textIn(raw, 'trigger_id'),
  campaign_id: textIn(raw, 'campaign_id'),
  rated: RATED.find((one) => one === String(raw['rated'])),
  sort: oneOfIn(raw, 'sort', SORTS),
  cursor: textIn(raw, 'cursor'),
});

/** The routes to read again after a new message or a take-over. */
export const READ_AGAIN = ['readConversation', 'listConversations', 'countConversations', 'readOverview'] as const;

/** The list and the open conversation are read again at this interval without live updates. */
export const LOOK_AGAIN_MS = 2_000;
