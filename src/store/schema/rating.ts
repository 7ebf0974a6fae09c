import { sql } from 'drizzle-orm';
import { check, foreignKey, index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import type { RatingKind } from '../../../contract/ratings.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';

/** The subject of the survey of a conversation. For a rated answer, the subject is the ID of its message. */
export const SURVEY = 'survey';

/**
 * The ratings of a conversation, with at most one survey and one row for each rated answer. Ratings are deleted with
 * the conversation. When a conversation is resolved, a trigger of the database adds its survey if the agent asks for
 * ratings. A worker sends the question of the survey.
 */
export const rating = pgTable(
  'rating',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    subject: text('subject').notNull(),
    kind: text('kind').$type<RatingKind>().notNull(),
    /** The message of the survey's question, or the rated answer. Null: the question was not sent yet. */
    messageId: text('message_id'),
    runId: text('run_id'),
    agentId: text('agent_id').notNull(),
    /** The version of the agent that answered. Null: no version of the agent answered. */
    agentVersion: integer('agent_version'),
    channelId: text('channel_id').notNull(),
    /** The score of a survey from 1 to 5, or of an answer as 1 (good) or -1 (bad). Null: the person has not rated. */
    score: smallint('score'),
    comment: text('comment'),
    ratedAt: moment('rated_at'),
    /** The time when a worker sends the question. Null: the question was sent. */
    dueAt: moment('due_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId, table.subject] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
    // Counts and lists read a period of one organization. The index excludes surveys without a score.
    index('rating_scored')
      .on(table.orgId, table.ratedAt)
      .where(sql`score IS NOT NULL`),
    index('rating_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    check('rating_kind', sql`kind IN ('survey', 'answer') AND (kind = 'survey') = (subject = 'survey')`),
    check('rating_score', sql`CASE kind WHEN 'survey' THEN score BETWEEN 1 AND 5 ELSE score IN (-1, 1) END`),
  ],
);
