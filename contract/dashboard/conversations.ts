import { Tag } from '../end-users.ts';
import { Type, type Static } from 'typebox';
import { DeliveryError } from '../channels.ts';
import { MAX_ATTACHMENT_NAME, MAX_MENTIONS, MAX_MESSAGE_CHARACTERS, MAX_NOTE_CHARACTERS } from '../limits.ts';
import { MAX_CAPTION, Message } from '../messages.ts';
import { ModelUse } from '../costs.ts';
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
  /** Until then it is not among those that wait; null: it is. */
  snoozed_until: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};

export const ConversationSummary = Type.Object(summary, { title: 'ConversationSummary' });
export type ConversationSummary = Static<typeof ConversationSummary>;

/** Null once retention has removed the messages. `text` is the start of the words, null if there are none. */
const LastMessage = Nullable(
  Type.Object({
    role: Message.properties.role,
    type: Type.String(),
    text: Nullable(Type.String()),
    created_at: Moment,
  }),
);

export const ListedConversation = Type.Object(
  {
    ...summary,
    last_message: LastMessage,
    /** In a search: the part of the newest message that contains the text, and who wrote that message. */
    found: Nullable(
      Type.Object({
        role: Message.properties.role,
        before: Type.String(),
        match: Type.String(),
        after: Type.String(),
      }),
    ),
    /** Since when the person waits for a member; null while no person does. */
    waiting_since: Nullable(Moment),
    /** The person wrote, or was handed over, since the reader last looked; only where members answer. */
    unread: Type.Boolean(),
  },
  { title: 'ListedConversation' },
);
export type ListedConversation = Static<typeof ListedConversation>;

/** A message with what only members see: its delivery and why the agent said it. */
export const ConversationMessage = Type.Object(
  {
    ...Message.properties,
    run_id: Nullable(Type.String()),
    status: Nullable(Type.String()),
    /** Times that a worker set out to deliver it. */
    attempts: Type.Integer({ minimum: 0 }),
    error: Nullable(DeliveryError),
    /** The provider may have been called more than once. */
    possible_duplicate: Type.Boolean(),
    /** Not before this moment. */
    send_at: Nullable(Moment),
    author_id: Nullable(Type.String()),
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

/** What a member writes to the other members beside a conversation. Neither the person nor the agent ever sees it. */
export const ConversationNote = Type.Object(
  {
    id: Type.String(),
    author_id: Type.String(),
    text: Type.String(),
    /** The members whom it names. */
    mentions: Type.Array(Type.String()),
    created_at: Moment,
  },
  { title: 'ConversationNote' },
);
export type ConversationNote = Static<typeof ConversationNote>;

export const ConversationRecord = Type.Object(
  {
    ...summary,
    /** The newest, oldest first; at most 200. */
    messages: Type.Array(ConversationMessage),
    /** Oldest first. */
    notes: Type.Array(ConversationNote),
    runs: Type.Array(
      Type.Object({
        id: Type.String(),
        trigger_id: Nullable(Type.String()),
        status: Type.Enum(RUN_STATUSES),
        reason: Nullable(Type.String()),
        error: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
        created_at: Moment,
      }),
    ),
    /**
     * On a channel that takes words only for some hours after the person wrote: until when; `until` is null if the person
     * never did. Null: at any time.
     */
    reply_window: Nullable(Type.Object({ until: Nullable(Moment) })),
    /** What models used in all of its turns, and why the first of them did not answer. */
    models: Type.Array(ModelUse),
  },
  { title: 'Conversation' },
);
export type ConversationRecord = Static<typeof ConversationRecord>;

/** The conversations that members answer: those of the reader, those of no one, all of them. */
export const CONVERSATION_VIEWS = ['mine', 'unassigned', 'waiting', 'snoozed', 'mentions'] as const;

/** Counting stops here; dashboards then show "999+". */
export const MAX_COUNTED = 1_000;

const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNTED });
export const ConversationCounts = Type.Object(
  {
    mine: Count,
    unassigned: Count,
    waiting: Count,
    snoozed: Count,
    /** Where a note names the reader who has not looked since. */
    mentions: Count,
    all: Count,
    /** The newest hand-off to the reader or to no one. */
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
});

/** Whom a conversation belongs to; null: to no one, and people still answer it. */
export const MAX_CONVERSATION_TAGS = 20;
/** All tags, in place of the stored ones. */
export const SetTagsBody = Type.Object(
  { tags: Type.Array(Tag, { maxItems: MAX_CONVERSATION_TAGS, uniqueItems: true }) },
  closed,
);

export const AssignBody = Type.Object({ user_id: Nullable(Id('user')) }, closed);

/** Null: it waits again now. */
export const SnoozeBody = Type.Object({ until: Nullable(Moment) }, closed);

/**
 * What a window tells of its reader: `here` keeps what was said of typing, `still` ends it, `gone` ends everything.
 * Without a word it is over by itself, after PRESENT_SECONDS and TYPING_SECONDS.
 */
export const PRESENCES = ['here', 'typing', 'still', 'gone'] as const;
export type Presence = (typeof PRESENCES)[number];
export const PRESENT_SECONDS = 40;
export const TYPING_SECONDS = 6;
/** More are not shown. */
export const MAX_PRESENT = 20;

export const PresenceBody = Type.Object({ presence: Type.Enum(PRESENCES) }, closed);

/** Another member who has the conversation open. */
export const PresentMember = Type.Object(
  { user_id: Type.String(), typing: Type.Boolean() },
  { title: 'PresentMember' },
);
export type PresentMember = Static<typeof PresentMember>;

/** As many as a member selects on one page of the list. */
export const MAX_CHANGED_CONVERSATIONS = 100;

/** The same for each of them, as the routes of one conversation do it. */
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

/** In the order of the ids; `code` says why one was refused. */
export const ChangedConversations = Type.Object(
  { results: Type.Array(Type.Object({ id: Type.String(), done: Type.Boolean(), code: Nullable(Type.String()) })) },
  { title: 'ChangedConversations' },
);
export type ChangedConversations = Static<typeof ChangedConversations>;

export const SayBody = Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }) }, closed);

/** Words, or a template that the provider of the channel has approved; `text` of it is how it reads, for members. */
export const ReplyBody = Type.Object(
  {
    text: Type.Optional(SayBody.properties.text),
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
  { ...closed, minProperties: 1, maxProperties: 1 },
);
export type ReplyBody = Static<typeof ReplyBody>;

/** `after` is the newest message that the writer has read. If another member has replied since, nothing is sent. */
const after = { after: Type.Optional(Id('msg')) };
export const ReplyQuery = Type.Object(after);

/** The body is the bytes of the file. */
export const SendFileQuery = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_ATTACHMENT_NAME }),
  ...after,
});

export const NoteBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MAX_NOTE_CHARACTERS }),
    /** Members whom it names; they find it in their view of mentions. */
    mentions: Type.Optional(Type.Array(Id('user'), { maxItems: MAX_MENTIONS, uniqueItems: true })),
  },
  closed,
);

/** The agent's turn; empty when it stayed silent or did not come within 25 seconds. */
export const SayAnswer = Type.Object({ messages: Type.Array(Message) }, { title: 'SayAnswer' });
