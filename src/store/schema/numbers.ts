import { sql } from 'drizzle-orm';
import { date, foreignKey, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';

/**
 * The hand-off of a conversation to the team. A trigger writes the row together with the change that hands the
 * conversation off.
 */
export const handOff = pgTable(
  'hand_off',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    at: moment('at').notNull(),
    /** The reason is one of HAND_OFF_REASONS. */
    reason: text('reason').notNull(),
    /**
     * The time when a worker applies the organization's rules to the hand-off. Null: the rules were applied, or the
     * organization has no rules.
     */
    dueAt: moment('due_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.at, table.conversationId] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
    index('hand_off_conversation').on(table.conversationId),
    index('hand_off_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);

/**
 * The events of each hour of one day in UTC, counted when a member opens Home (docs/operations.md). A row contains no
 * personal data.
 */
export const numbersDay = pgTable(
  'numbers_day',
  {
    orgId: orgId(),
    day: date('day').notNull(),
    counts: jsonb('counts').$type<DayCounts>().notNull(),
    countedAt: moment('counted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.day] })],
);

/** The count by name and then by hour (0–23). For `wait`, the list contains the seconds of each wait. */
export type DayCounts = Record<string, Record<string, number | number[]>>;

/**
 * The figures of the conversations that started on one day in the organization's time zone, counted when a member opens
 * Analytics. A row contains no data of end users.
 */
export const analyticsDay = pgTable(
  'analytics_day',
  {
    orgId: orgId(),
    day: date('day').notNull(),
    /** The time zone of the day. If the organization now has another time zone, the day is counted again. */
    timeZone: text('time_zone').notNull(),
    facts: jsonb('facts').$type<DayFacts>().notNull(),
    countedAt: moment('counted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.day] })],
);

/** `rules`: the version of the counting rules. */
export type DayFacts = { rules: number; groups: FactGroup[] };

/**
 * The conversations with the same agent, channel and other properties. The lists of seconds contain one number for each
 * conversation.
 */
export type FactGroup = {
  agent: string;
  channel: string;
  version: number | null;
  trigger: string | null;
  campaign: string | null;
  members: string[];
  conversations: number;
  answered: number;
  handed_over: number;
  unanswered: number;
  resolved: number;
  first_reply: number[];
  team_reply: number[];
  resolve: number[];
  ratings: number;
  /** The sum of the scores. */
  score: number;
  costs: Record<string, number>;
};
