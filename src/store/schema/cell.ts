import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, moment } from './columns.ts';

/** A cell besides the first one. Such a cell is a schema of this name with all tenant tables (docs/adr/0501). */
export const cell = pgTable('cell', {
  name: text('name').primaryKey(),
  /** The newest migration of the tables of this cell. */
  schemaAt: bigint('schema_at', { mode: 'number' }).notNull(),
  /** Whether the cell may contain organizations. */
  ready: boolean('ready').notNull().default(false),
  /**
   * The change of the cells with which the cell became ready. A process with a lower number may not have read this
   * cell.
   */
  cellsVersion: integer('cells_version').notNull().default(0),
  createdAt: createdAt(),
});

/**
 * An organization whose rows are moved to another cell now (src/store/cells/move-organization.ts). Until this time,
 * which the moving process renews, the calls of the organization are refused.
 */
export const organizationMove = pgTable('organization_move', {
  organizationId: text('organization_id').primaryKey(),
  toCell: text('to_cell').notNull(),
  until: moment('until').notNull(),
});
