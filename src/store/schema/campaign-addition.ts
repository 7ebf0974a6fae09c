import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AdditionFault } from '../../../contract/dashboard/additions.ts';
import { campaign } from './campaign.ts';
import { createdAt, moment, orgId } from './columns.ts';

/**
 * An audience that is being added to a campaign. The row is also an entry of the queue with `due_at` and `lease`, as
 * for imports.
 */
export const campaignAddition = pgTable(
  'campaign_push',
  {
    orgId: orgId(),
    campaignId: text('campaign_id').notNull(),
    id: text('id').notNull(),
    /** The state is `queued`, `running`, `done`, `failed` or `cancelled`. */
    state: text('state').notNull().default('queued'),
    source: text('source').notNull(),
    filterNames: text('filter_names').array().notNull().default([]),
    /** The people to add, as a filter or as a file. Filter and file are stored until the addition ends. */
    filter: jsonb('filter').$type<Record<string, unknown>>(),
    file: text('file'),
    /** The last person of the finished pages. */
    after: text('after'),
    total: integer('total'),
    /** The number of finished rows, after which an interrupted addition continues. */
    done: integer('done').notNull().default(0),
    accepted: integer('accepted').notNull().default(0),
    duplicates: integer('duplicates').notNull().default(0),
    optedOut: integer('opted_out').notNull().default(0),
    blocked: integer('blocked').notNull().default(0),
    invalid: integer('invalid').notNull().default(0),
    faults: jsonb('faults').$type<AdditionFault[]>().notNull().default([]),
    fault: jsonb('fault').$type<{ code: string; detail: string }>(),
    createdBy: text('created_by').notNull(),
    requestId: text('request_id'),
    dueAt: moment('due_at'),
    lease: text('lease'),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.campaignId, table.id] }),
    foreignKey({ columns: [table.orgId, table.campaignId], foreignColumns: [campaign.orgId, campaign.id] }),
    uniqueIndex('campaign_push_one_open')
      .on(table.orgId, table.campaignId)
      .where(sql`due_at IS NOT NULL`),
    index('campaign_push_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);
