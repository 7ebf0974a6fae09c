import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { DeliveryError } from '../../../contract/channels.ts';
import type { MessageContent, MessageSource } from '../../../contract/messages.ts';
import type { TurnTrace } from '../../engine/turn-trace.ts';
import { createdAt, LANE, moment, orgId } from './columns.ts';

/** The messages between one agent and one end user on one channel. */
export const conversation = pgTable(
  'conversation',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    channelId: text('channel_id').notNull(),
    endUserId: text('end_user_id').notNull(),
    /** The person's address on the channel. Null on the sandbox. */
    address: text('address'),
    /** The caller's own key for the conversation (`conversation.key`). A newer conversation may take the key over. */
    key: text('key'),
    /** The status is `open`, `handed_off` (members answer, the agent does not) or `resolved`. */
    status: text('status').notNull().default('open'),
    locale: text('locale'),
    tags: text('tags').array().notNull().default([]),
    /** The state that the provider stores between turns. */
    state: jsonb('state'),
    /** The ID of the current run. */
    runId: text('run_id'),
    /** IDs of end-user messages that no turn has answered, oldest first. */
    unanswered: text('unanswered').array().notNull().default([]),
    /** The number grows with every inbound message. A turn that was computed for an older version is discarded. */
    version: integer('version').notNull().default(0),
    assigneeId: text('assignee_id'),
    /** The time at which members took over the conversation. Null if no member answers. */
    handedOffAt: moment('handed_off_at'),
    /**
     * The reason (one of HAND_OFF_REASONS) if the agent handed the conversation off. Null: a member took the
     * conversation over, or the conversation is not handed off.
     */
    handOffReason: text('hand_off_reason'),
    /** The end of the snooze. Null after the person writes, or after the agent or another member takes over. */
    snoozedUntil: moment('snoozed_until'),
    /**
     * Client tokens with this mark may read the conversation and write in it. Null: no client token may read or write.
     */
    clientMark: text('client_mark'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // A conversation references its person and its channel. The channel belongs to the agent, and the agent exists
    // because the channel references it. The file ../checked-references.ts lists all such references.
    uniqueIndex('conversation_key')
      .on(table.orgId, table.agentId, table.key)
      .where(sql`key IS NOT NULL`),
    index('conversation_end_user').on(table.endUserId, table.createdAt),
    // The index serves lists of one channel, of an agent (which has few channels), and of one status. The status is the
    // first column, so that a query by a channel and a more selective column never uses this index.
    index('conversation_channel').on(table.status, table.channelId, table.id),
    // Finds the conversation that continues when a person writes from this address. The index does not contain
    // conversations of the sandbox.
    index('conversation_address')
      .on(table.orgId, table.channelId, table.address, table.id)
      .where(sql`address IS NOT NULL`),
    // Conversations that members answer. Waiting conversations are few, and every open dashboard counts them.
    index('conversation_handed_off')
      .on(table.orgId, table.id)
      .where(sql`status = 'handed_off'`),
    // Few conversations have a tag, and the index excludes conversations without tags.
    index('conversation_org_tags')
      .using('gin', sql`(ARRAY[org_id])`, table.tags)
      .where(sql`tags <> '{}'`),
  ],
);

/** The time when a member last viewed a handed-off conversation. Messages after this time are new to the member. */
export const conversationSeen = pgTable(
  'conversation_seen',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    userId: text('user_id').notNull(),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.userId] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
  ],
);

/**
 * The members who have a conversation open, and the members who are writing in it. The table is unlogged (a manual
 * statement in its migration), because rows are only useful for seconds. After a crash of the database, the table is
 * empty.
 */
export const conversationPresence = pgTable(
  'conversation_presence',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    userId: text('user_id').notNull(),
    hereUntil: moment('here_until').notNull(),
    typingUntil: moment('typing_until'),
    /** The reply that the member is writing, valid while `typingUntil` is in the future. */
    draft: text('draft'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.userId] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
  ],
);

/**
 * Notes that members write to each other about a conversation. Notes are sent to no person, no agent and no webhook. A
 * row with the ID of an audit entry has the names of the tags that a member changed (conversations/changes.ts).
 */
export const conversationNote = pgTable(
  'conversation_note',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    conversationId: text('conversation_id').notNull(),
    authorId: text('author_id').notNull(),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.id] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
  ],
);

/**
 * The members whom a note mentions, for the view of mentions. A mention is unread until the member has viewed the note.
 */
export const conversationMention = pgTable(
  'conversation_mention',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    noteId: text('note_id').notNull(),
    userId: text('user_id').notNull(),
    seenAt: moment('seen_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.noteId, table.userId] }),
    foreignKey({
      name: 'conversation_mention_note',
      columns: [table.orgId, table.conversationId, table.noteId],
      foreignColumns: [conversationNote.orgId, conversationNote.conversationId, conversationNote.id],
    }).onDelete('cascade'),
    index('conversation_mention_user').on(table.userId, table.conversationId),
    // Unread mentions are few, and every open dashboard counts them.
    index('conversation_mention_new')
      .on(table.orgId, table.userId)
      .where(sql`seen_at IS NULL`),
  ],
);

/**
 * One message. The IDs of messages sort by time. The row is also an entry in the queue of deliveries: a message with a
 * `due_at` in the past is sent. A delivery is claimed, renewed and completed like a run (run.ts).
 */
export const message = pgTable(
  'message',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    conversationId: text('conversation_id').notNull(),
    runId: text('run_id'),
    role: text('role').notNull(),
    content: jsonb('content').$type<MessageContent>().notNull(),
    sources: jsonb('sources').$type<MessageSource[]>().notNull().default([]),
    /** The reasons for the agent's answer. */
    trace: jsonb('trace').$type<TurnTrace>(),
    /**
     * The delivery status is `queued`, `sent`, `delivered`, `read`, `failed`, `undelivered` or `suppressed`. Null for
     * inbound messages.
     */
    status: text('status'),
    /** The member who wrote a message with the role `member`. */
    authorId: text('author_id'),
    /** The message to which this message replies. */
    replyTo: text('reply_to'),
    metadata: jsonb('metadata').$type<Record<string, string>>(),
    sendAt: moment('send_at'),
    dueAt: moment('due_at'),
    lease: text('lease'),
    /** The number of times that a worker started to deliver the message. */
    attempts: integer('attempts').notNull().default(0),
    error: jsonb('error').$type<DeliveryError>(),
    providerMessageId: text('provider_message_id'),
    /** True: the provider may have been called more than once, because a worker died or a response was lost. */
    possibleDuplicate: boolean('possible_duplicate').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // A message references its conversation (see ../checked-references.ts).
    index('message_conversation').on(table.conversationId, table.createdAt),
    index('message_lane')
      .on(sql.raw(LANE), table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    // Finds earlier messages in the queue of the same conversation.
    index('message_queue')
      .on(table.orgId, table.conversationId, table.id)
      .where(sql`due_at IS NOT NULL`),
    // Few messages are open questions that an agent could not answer.
    index('message_missed')
      .on(table.orgId, table.id)
      .where(sql`trace @> '{"steps": [{"kind": "miss"}]}' AND NOT trace ? 'settled'`),
    index('message_provider')
      .on(table.orgId, table.providerMessageId)
      .where(sql`provider_message_id IS NOT NULL`),
  ],
);
