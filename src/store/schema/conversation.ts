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
import type { TurnTrace } from '../../engine/provider.ts';
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
    /** The person's address on the channel; null on the sandbox. */
    address: text('address'),
    /** The caller's own key for it (`conversation.key`); a newer conversation may take it over. */
    key: text('key'),
    /** `open`, `handed_off` (humans answer, the agent is silent) or `resolved`. */
    status: text('status').notNull().default('open'),
    locale: text('locale'),
    tags: text('tags').array().notNull().default([]),
    /** The provider's state between turns. */
    state: jsonb('state'),
    /** The current run. */
    runId: text('run_id'),
    /** Ids of end-user messages that no turn has answered yet, oldest first. */
    unanswered: text('unanswered').array().notNull().default([]),
    /** Grows with every inbound message: a turn computed against an older version is discarded. */
    version: integer('version').notNull().default(0),
    assigneeId: text('assignee_id'),
    /** Since when people answer; null while the agent does, or no one. */
    handedOffAt: moment('handed_off_at'),
    /** Why, if the agent did it; of HAND_OFF_REASONS. Null: a member took it, or it is not handed off. */
    handOffReason: text('hand_off_reason'),
    /** People do not want to see it before then; null after the person writes, or when it changes hands. */
    snoozedUntil: moment('snoozed_until'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // Its person, and its channel: that belongs to the agent, and the agent exists because the channel references it.
    // See ../checked-references.ts.
    uniqueIndex('conversation_key')
      .on(table.orgId, table.agentId, table.key)
      .where(sql`key IS NOT NULL`),
    index('conversation_end_user').on(table.endUserId, table.createdAt),
    // Lists of one channel, of an agent (it has few channels), and of one status. The status is first, so that a look-up
    // by a channel and something narrower never uses it.
    index('conversation_channel').on(table.status, table.channelId, table.id),
    // Which conversation continues when a person writes from this address; it does not contain conversations of the
    // sandbox.
    index('conversation_address')
      .on(table.orgId, table.channelId, table.address, table.id)
      .where(sql`address IS NOT NULL`),
    // Those that people answer: few among all, counted for every open dashboard.
    index('conversation_handed_off')
      .on(table.orgId, table.id)
      .where(sql`status = 'handed_off'`),
    // Few have a tag; the others cost nothing here.
    index('conversation_tags')
      .using('gin', table.tags)
      .where(sql`tags <> '{}'`),
  ],
);

/** When a member last looked at a conversation that people answer: what came later is new to this member. */
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
 * Who has a conversation open now, and who writes in it. The table is unlogged (its migration says so by hand): rows are
 * worth seconds, and after a crash of the database there are none.
 */
export const conversationPresence = pgTable(
  'conversation_presence',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    userId: text('user_id').notNull(),
    hereUntil: moment('here_until').notNull(),
    typingUntil: moment('typing_until'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.userId] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
  ],
);

/** What members write to each other beside a conversation; it goes to no person, no agent and no webhook. */
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

/** Whom a note names, until that member has looked: it stands in the view of mentions. */
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
    // Few among all, counted for every open dashboard.
    index('conversation_mention_new')
      .on(table.orgId, table.userId)
      .where(sql`seen_at IS NULL`),
  ],
);

/**
 * One message. `id` sorts by time. Also its entry in the queue of deliveries: a message with a `due_at` in the past is
 * sent; it is claimed, renewed and completed as a run is (run.ts).
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
    /** Why the agent said it. */
    trace: jsonb('trace').$type<TurnTrace>(),
    /** Delivery: `queued sent delivered read failed undelivered suppressed`; null for inbound messages. */
    status: text('status'),
    /** The member who wrote it, for role `member`. */
    authorId: text('author_id'),
    /** The message that this one answers. */
    replyTo: text('reply_to'),
    metadata: jsonb('metadata').$type<Record<string, string>>(),
    sendAt: moment('send_at'),
    dueAt: moment('due_at'),
    lease: text('lease'),
    /** How often a worker started to deliver it. */
    attempts: integer('attempts').notNull().default(0),
    error: jsonb('error').$type<DeliveryError>(),
    providerMessageId: text('provider_message_id'),
    /** The provider may have been called more than once: a worker died, or an answer was lost, in between. */
    possibleDuplicate: boolean('possible_duplicate').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // Its conversation: see ../checked-references.ts.
    index('message_conversation').on(table.conversationId, table.createdAt),
    index('message_lane')
      .on(sql.raw(LANE), table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    // The messages before one in its conversation's queue.
    index('message_queue')
      .on(table.orgId, table.conversationId, table.id)
      .where(sql`due_at IS NOT NULL`),
    // What an agent could not answer and no one has settled: few among all.
    index('message_missed')
      .on(table.orgId, table.id)
      .where(sql`trace @> '{"steps": [{"kind": "miss"}]}' AND NOT trace ? 'settled'`),
    index('message_provider')
      .on(table.orgId, table.providerMessageId)
      .where(sql`provider_message_id IS NOT NULL`),
  ],
);
