import { sql } from 'drizzle-orm';
import { jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { CreateSegmentBody } from '../../../contract/dashboard/segments.ts';
import { createdAt, orgId } from './columns.ts';
import { organization } from './identity.ts';

/** Saved filters of end users, with a name. */
export const segment = pgTable(
  'segment',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    filters: jsonb('filters').$type<CreateSegmentBody['filters']>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    uniqueIndex('segment_name').on(table.orgId, sql`lower(${table.name})`),
  ],
);
