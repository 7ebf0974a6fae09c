import { index, integer, jsonb, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { moment, orgId } from './columns.ts';

/** Requests of a key in one hour, by outcome. */
export const keyUsage = pgTable(
  'key_usage',
  {
    orgId: orgId(),
    keyId: text('key_id').notNull(),
    hour: moment('hour').notNull(),
    accepted: integer('accepted').notNull().default(0),
    refused: integer('refused').notNull().default(0),
    failed: integer('failed').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.keyId, table.hour] }), index('key_usage_age').on(table.hour)],
);

/** The single requests: all requests at a low rate, and a sample of the newest requests under load. */
export const requestLog = pgTable(
  'request_log',
  {
    orgId: orgId(),
    /** The ID of the request, which sorts by time. */
    id: text('id').notNull(),
    keyId: text('key_id').notNull(),
    at: moment('at').notNull(),
    method: text('method').notNull(),
    route: text('route').notNull(),
    /** The IDs of Parley in the path, by the names in the route. Parley never stores names from the caller. */
    ids: jsonb('ids').$type<Record<string, string>>().notNull().default({}),
    status: smallint('status').notNull(),
    code: text('code'),
    ms: integer('ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('request_log_key').on(table.keyId, table.at),
    index('request_log_age').on(table.at),
  ],
);
