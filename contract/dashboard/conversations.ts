import { ApprovalEntry } from './approvals.ts';
import { CONVERSATION_OUTCOMES, conversationCircumstances, WITHOUT } from './analytics.ts';
import { Tag } from '../end-users.ts';
import { Type, type Static } from 'typebox';
import { DeliveryError } from '../channels.ts';
import { MAX_ATTACHMENT_NAME, MAX_MENTIONS, MAX_MESSAGE_CHARACTERS, MAX_NOTE_CHARACTERS } from '../limits.ts';
import { MAX_CAPTION, Message } from '../messages.ts';
import { ModelUse } from '../costs.ts';
import { SurveyRating } from '../ratings.ts';
import { RunResult } from '../results.ts';
import { RUN_STATUSES } from '../triggers.ts';
import { TraceStep } from './agents.ts';
import { closed, Id, Moment, Nullable, PageQuery, SearchText } from './shapes.ts';

export const CONVERSATION_STATUSES = ['open', 'handed_off', 'resolved'] as const;
const ConversationStatus = Type.Enum(CONVERSATION_STATUSES);

const summary = {
  id: Type.String(),
  agent_id: Type.String(),
  channel_id: Type.String(),
  channel_kind: Type.String(),
  end_user: Type.Object({ id: Type.String(), name: Nullable(Type.String()), external_id: Nullable(Type.String()) }),
  key: Nullable(Type.String()),
  status: ConversationStatus,
  locale: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  assignee_id: Nullable(Type.String()),
  /** The conversation does not count as waiting until this time. Null: the conversation is not snoozed. */
  snoozed_until: Nullable(Moment),
  /** The rating that the person gave the conversation. Null: the person has not rated the conversation. */
  rating: Nullable(SurveyRating),
  created_at: Moment,
  updated_at: Moment,
};

export const ConversationSummary = Type.Object(summary, { title: 'ConversationSummary' });
export type ConversationSummary = Static<typeof ConversationSummary>;

/**
 * The last message of a conversation. Null after retention has removed the messages. The field `text` is the start of
 * the text, or null if the message has no text.
 */
const lastMessage = {
  role: Message.properties.role,
  type: Type.String(),
  text: Nullable(Type.String()),
  created_at: Moment,
};

export const ListedConversation = Type.Object(
  {
    ...summary,
    last_message: Nullable(Type.Object(lastMessage)),
    /**
     * The newest message of the end user or of a member, with the member who wrote it. Null if neither the end user nor
     * a member has written a message.
     */
    last_human_message: Nullable(Type.Object({ ...lastMessage, author_id: Nullable(Type.String()) })),
    /** In a search, the matching part of the newest message that matches, with the role of its author. */
    found: Nullable(
      Type.Object({
        role: Message.properties.role,
        before: Type.String(),
        match: Type.String(),
        after: Type.String(),
      }),
    ),
    /** The time since which the person has waited for a member. Null: the person is not waiting. */
    waiting_since: Nullable(Moment),
    /**
     * True: the person wrote or was handed over after the reader last opened the conversation. Only conversations that
     * members answer can be unread.
     */
    unread: Type.Boolean(),
  },
  { title: 'ListedConversation' },
);
export type ListedConversation = Static<typeof ListedConversation>;

/** A message with data for members only, which is its delivery and the reasons for the answer. */
export const ConversationMessage = Type.Object(
  {
    ...Message.properties,
    run_id: Nullable(Type.String()),
    status: Nullable(Type.String()),
    /** The number of attempts to deliver the message. */
    attempts: Type.Integer({ minimum: 0 }),
    error: Nullable(DeliveryError),
    /** True: the provider may have received the message more than once. */
    possible_duplicate: Type.Boolean(),
    /** The time before which the message is not sent. */
    send_at: Nullable(Moment),
    author_id: Nullable(Type.String()),
    /** The rating of the answer, which is 1 (good) or -1 (bad). Null: the person has not rated the answer. */
    rating: Nullable(Type.Union([Type.Literal(1), Type.Literal(-1)])),
    why: Nullable(
      Type.Object({
        provider: Type.String(),
        steps: Type.Array(TraceStep),
      }),
    ),
  },
  { title: 'ConversationMessage' },
);
export type ConversationMessage = Static<typeof ConversationMessage>;

/** An internal note of a member about a conversation. The person and the agent never see a note. */
export const ConversationNote = Type.Object(
  {
    id: Type.String(),
    author_id: Type.String(),
    text: Type.String(),
    /** The members whom the note mentions. */
    mentions: Type.Array(Type.String()),
    created_at: Moment,
  },
  { title: 'ConversationNote' },
);
export type ConversationNote = Static<typeof ConversationNote>;

/** A change that the agent or a member made to a conversation. */
const CONVERSATION_CHANGES = [
  'handed_off',
  'taken_over',
  'handed_back',
  'assigned',
  'unassigned',
  'snoozed',
  'snooze_ended',
  'resolved',
  'tagged',
] as const;

const ConversationChange = Type.Object({
  id: Type.String(),
  type: Type.Enum(CONVERSATION_CHANGES),
  /** The member who made the change. Null: the agent or a rule made the change. */
  actor_id: Nullable(Type.String()),
  /** The assignee after the change. */
  user_id: Nullable(Type.String()),
  /** The end of the snooze. */
  until: Nullable(Moment),
  /** The tags that a change of the tags added and removed. Both lists are empty after the end of the retention period. */
  added_tags: Type.Array(Type.String()),
  removed_tags: Type.Array(Type.String()),
  created_at: Moment,
});
export type ConversationChange = Static<typeof ConversationChange>;

export const ConversationRecord = Type.Object(
  {
    ...summary,
    /** The newest messages, oldest first: at most 200, or with `before` at most 2,000. */
    messages: Type.Array(ConversationMessage),
    /** True: the conversation has messages before the first message of `messages`. */
    has_earlier_messages: Type.Boolean(),
    /** The notes, oldest first. */
    notes: Type.Array(ConversationNote),
    /**
     * The newest changes of members and hand-offs of the agent, oldest first: at most 200 and 50, or with `before` at
     * most 2,000 and 500.
     */
    changes: Type.Array(ConversationChange),
    /** The newest approvals of tool calls, oldest first: at most 50, or with `before` at most 500. */
    approvals: Type.Array(ApprovalEntry),
    runs: Type.Array(
      Type.Object({
        id: Type.String(),
        trigger_id: Nullable(Type.String()),
        status: Type.Enum(RUN_STATUSES),
        reason: Nullable(Type.String()),
        error: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
        agent_version: Nullable(Type.Integer()),
        result: RunResult,
        /**
         * The messages before this run that its caller sent with the call, oldest first. The agent did not write the
         * earlier messages.
         */
        earlier: Type.Array(Type.Object({ role: Type.Enum(['agent', 'end_user']), text: Type.String() })),
        created_at: Moment,
      }),
    ),
    /**
     * The end of the time for free text, for channels that allow free text only for some hours after the person wrote.
     * The field `until` is null if the person never wrote. Null: free text is allowed at any time.
     */
    reply_window: Nullable(Type.Object({ until: Nullable(Moment) })),
    /** The model usage of all turns of the conversation, with the reasons for each fallback. */
    models: Type.Array(ModelUse),
  },
  { title: 'Conversation' },
);
export type ConversationRecord = Static<typeof ConversationRecord>;

/**
 * Filters for conversations that members answer: assigned to the reader, unassigned, waiting, snoozed, or with
 * mentions.
 */
export const CONVERSATION_VIEWS = ['mine', 'unassigned', 'waiting', 'snoozed', 'mentions'] as const;

/**
 * The order of conversations in the list. The order `waiting` lists only conversations that members answer, the longest
 * wait first. The orders `newest` and `oldest` use the start of the conversation.
 */
export const CONVERSATION_SORTS = ['latest', 'waiting', 'newest', 'oldest'] as const;
export type ConversationSort = (typeof CONVERSATION_SORTS)[number];

/** The filter for rated conversations: all of them, or conversations with one score. */
export const RATED = ['any', '1', '2', '3', '4', '5'] as const;
export type RatedFilter = (typeof RATED)[number];

/** The counts stop at this number, which dashboards show as "999+". */
export const MAX_COUNTED = 1_000;

const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNTED });
export const ConversationCounts = Type.Object(
  {
    mine: Count,
    unassigned: Count,
    waiting: Count,
    snoozed: Count,
    /** The number of conversations with an unread note that mentions the reader. */
    mentions: Count,
    all: Count,
    /** The number of tool calls that wait for an approval. */
    approvals: Count,
    newest_approval: Nullable(Type.Object({ id: Type.String(), conversation_id: Type.String(), created_at: Moment })),
    /** The newest hand-off that is unassigned or assigned to the reader. */
    newest: Nullable(Type.Object({ id: Type.String(), handed_off_at: Moment })),
  },
  { title: 'ConversationCounts' },
);
export type ConversationCounts = Static<typeof ConversationCounts>;

export const ConversationListQuery = PageQuery({
  text: SearchText,
  view: Type.Optional(Type.Enum(CONVERSATION_VIEWS)),
  status: Type.Optional(ConversationStatus),
  agent_id: Type.Optional(Id('agent')),
  channel_id: Type.Optional(Id('channel')),
  end_user_id: Type.Optional(Id('enduser')),
  tag: Type.Optional(Tag),
  /**
   * The period in which the conversations started. With `rated`, the conversations were rated in the period. With
   * `handed_off`, the conversations were handed over in the period.
   */
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
  handed_off: Type.Optional(Type.Boolean()),
  rated: Type.Optional(Type.Enum(RATED)),
  /** The outcome of the conversation, as Analytics counts it. */
  outcome: Type.Optional(Type.Enum(CONVERSATION_OUTCOMES)),
  ...conversationCircumstances,
  /** Conversations in which no member wrote, or whose latest run has no version. */
  without: Type.Optional(Type.Enum(WITHOUT)),
  /** Without a sort, the latest message comes first, or in the view `waiting` the longest wait. */
  sort: Type.Optional(Type.Enum(CONVERSATION_SORTS)),
});

/** With `before`, the conversation also contains the 200 messages before this message. */
export const ConversationQuery = Type.Object({ before: Type.Optional(Id('msg')) }, closed);

/** With `before`, the list contains only messages before this message. */
export const MessageListQuery = PageQuery({ before: Type.Optional(Id('msg')) });

/** A conversation has at most this many tags. */
export const MAX_CONVERSATION_TAGS = 20;
/** The tags replace all stored tags. */
export const SetTagsBody = Type.Object(
  { tags: Type.Array(Tag, { maxItems: MAX_CONVERSATION_TAGS, uniqueItems: true }) },
  closed,
);

export const AssignBody = Type.Object({ user_id: Nullable(Id('user')) }, closed);

/** Null ends the snooze immediately. */
export const SnoozeBody = Type.Object({ until: Nullable(Moment) }, closed);

/**
 * A browser window reports one of these: `here` confirms presence and does not change typing, `still` ends typing,
 * `gone` ends both. Without a new report, presence expires after PRESENT_SECONDS and typing after TYPING_SECONDS.
 */
export const PRESENCES = ['here', 'typing', 'still', 'gone'] as const;
export type Presence = (typeof PRESENCES)[number];
export const PRESENT_SECONDS = 40;
export const TYPING_SECONDS = 6;
/** Members above this number are not shown. */
export const MAX_PRESENT = 20;

/** Drafts above this length are cut. */
export const MAX_SHARED_DRAFT = 4_000;

export const PresenceBody = Type.Object(
  {
    presence: Type.Enum(PRESENCES),
    /**
     * With `typing`, the reply that is not sent yet. Members who write a reply can read the drafts of other members.
     */
    draft: Type.Optional(Type.String({ maxLength: MAX_SHARED_DRAFT })),
  },
  closed,
);
export type PresenceBody = Static<typeof PresenceBody>;

/** A member, other than the reader, who has the conversation open. */
export const PresentMember = Type.Object(
  {
    user_id: Type.String(),
    typing: Type.Boolean(),
    /** The reply that the member is writing. Null: the member writes nothing, or a note. */
    draft: Nullable(Type.String()),
  },
  { title: 'PresentMember' },
);
export type PresentMember = Static<typeof PresentMember>;

/** A member can select at most this many conversations on one page of the list. */
export const MAX_CHANGED_CONVERSATIONS = 100;

/** One action for each of the given conversations, with the rules of the routes for one conversation. */
export const ChangeConversationsBody = Type.Object(
  {
    ids: Type.Array(Id('conv'), { minItems: 1, maxItems: MAX_CHANGED_CONVERSATIONS, uniqueItems: true }),
    action: Type.Union([
      Type.Object({ type: Type.Literal('assign'), user_id: Nullable(Id('user')) }, closed),
      Type.Object({ type: Type.Literal('snooze'), until: Nullable(Moment) }, closed),
      Type.Object({ type: Type.Literal('hand_back') }, closed),
      Type.Object({ type: Type.Literal('resolve') }, closed),
    ]),
  },
  closed,
);
export type ChangeConversationsBody = Static<typeof ChangeConversationsBody>;

/** The results are in the order of the IDs. The field `code` is the reason of a refusal. */
export const ChangedConversations = Type.Object(
  { results: Type.Array(Type.Object({ id: Type.String(), done: Type.Boolean(), code: Nullable(Type.String()) })) },
  { title: 'ChangedConversations' },
);
export type ChangedConversations = Static<typeof ChangedConversations>;

export const SayBody = Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }) }, closed);

/** The actions that happen together with the sending of a reply. The value `me` is the member who sends the reply. */
export const ReplyActions = Type.Object(
  {
    add_tags: Type.Optional(Type.Array(Tag, { minItems: 1, maxItems: MAX_CONVERSATION_TAGS, uniqueItems: true })),
    assign_to: Type.Optional(Type.Union([Type.Literal('me'), Id('user')])),
    resolve: Type.Optional(Type.Literal(true)),
  },
  closed,
);
export type ReplyActions = Static<typeof ReplyActions>;

/**
 * Text, or a template that the provider of the channel has approved. The field `text` of the template is the version
 * that members see.
 */
export const ReplyBody = Type.Object(
  {
    text: Type.Optional(SayBody.properties.text),
    actions: Type.Optional(ReplyActions),
    template: Type.Optional(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 512 }),
          language: Type.String({ minLength: 1, maxLength: 35 }),
          variables: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 1024 }), { maxProperties: 100 }),
          text: Type.String({ maxLength: MAX_CAPTION }),
        },
        closed,
      ),
    ),
  },
  { ...closed, minProperties: 1, maxProperties: 2 },
);
export type ReplyBody = Static<typeof ReplyBody>;

/**
 * The field `after` is the newest message that the author of the reply has seen. If another member has replied after
 * that message, nothing is sent.
 */
const after = { after: Type.Optional(Id('msg')) };
export const ReplyQuery = Type.Object(after);

/** The request body contains the bytes of the file. */
export const SendFileQuery = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_ATTACHMENT_NAME }),
  ...after,
});

export const NoteBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MAX_NOTE_CHARACTERS }),
    /** The members whom the note mentions. Mentioned members find the note in their view of mentions. */
    mentions: Type.Optional(Type.Array(Id('user'), { maxItems: MAX_MENTIONS, uniqueItems: true })),
  },
  closed,
);

/** The messages of the agent's turn. The value is empty if the agent was silent or needed more than 25 seconds. */
export const SayAnswer = Type.Object({ messages: Type.Array(Message) }, { title: 'SayAnswer' });
