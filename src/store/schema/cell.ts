import { bigint, boolean, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

/** A cell besides the first one. It is a schema of this name with all tenant tables (docs/adr/0501). */
export const cell = pgTable('cell', {
  name: text('name').primaryKey(),
  /** The newest migration of its tables. */
  schemaAt: bigint('schema_at', { mode: 'number' }).notNull(),
  /** Whether organizations may be in it. */
  ready: boolean('ready').notNull().default(false),
  createdAt: createdAt(),
});
