import { Type, type Static } from 'typebox';
import { Tag } from '../end-users.ts';
import { CONVERSATION_SORTS, CONVERSATION_STATUSES, CONVERSATION_VIEWS, RATED } from './conversations.ts';
import { closed, Id, Moment, Name, SearchText } from './shapes.ts';

/**
 * One member may have this many views. All members together may share the same number of views. All views share one
 * line above the list.
 */
export const MAX_CONVERSATION_VIEWS = 20;

/** The filters of the list, except the filters for one person or one page. */
const filters = Type.Object(
  {
    view: Type.Optional(Type.Enum(CONVERSATION_VIEWS)),
    text: SearchText,
    status: Type.Optional(Type.Enum(CONVERSATION_STATUSES)),
    agent_id: Type.Optional(Id('agent')),
    channel_id: Type.Optional(Id('channel')),
    tag: Type.Optional(Tag),
    rated: Type.Optional(Type.Enum(RATED)),
    sort: Type.Optional(Type.Enum(CONVERSATION_SORTS)),
  },
  { ...closed, minProperties: 1 },
);

export const ConversationView = Type.Object(
  { id: Type.String(), name: Type.String(), shared: Type.Boolean(), filters, created_at: Moment },
  { title: 'ConversationView' },
);
export type ConversationView = Static<typeof ConversationView>;

export const CreateConversationViewBody = Type.Object({ name: Name, shared: Type.Boolean(), filters }, closed);
export type CreateConversationViewBody = Static<typeof CreateConversationViewBody>;
