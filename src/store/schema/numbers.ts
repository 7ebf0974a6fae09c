import { sql } from 'drizzle-orm';
import { date, foreignKey, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';

/** A conversation went to people. A trigger writes it with the change of the conversation, on every way there. */
export const handOff = pgTable(
  'hand_off',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    at: moment('at').notNull(),
    /** Of HAND_OFF_REASONS. */
    reason: text('reason').notNull(),
    /** When a worker applies the rules of the organization to it; null: it has, or there are none. */
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

/** What happened in the hours of one day in UTC, counted when someone looks (docs/adr/0214). No one's data is in it. */
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

/** By name, then by hour (0–23): how many; of `wait` the seconds of each. */
export type DayCounts = Record<string, Record<string, number | number[]>>;
