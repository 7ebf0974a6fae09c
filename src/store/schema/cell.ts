import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, moment } from './columns.ts';

/**
 * A cell that was added to the first cell. The cell is a schema of this name with all tenant tables (docs/adr/0501).
 */
export const cell = pgTable('cell', {
  name: text('name').primaryKey(),
  /** The newest migration that the tables of this cell have. */
  schemaAt: bigint('schema_at', { mode: 'number' }).notNull(),
  /** True if the cell may contain organizations. */
  ready: boolean('ready').notNull().default(false),
  /**
   * The number of the change that made the cell ready. A process that knows only earlier changes may not have read this
   * cell.
   */
  cellsVersion: integer('cells_version').notNull().default(0),
  createdAt: createdAt(),
});

/**
 * An organization whose rows are being moved to another cell (src/store/cells/move-organization.ts). The calls of the
 * organization are refused until this time, which the moving process renews.
 */
export const organizationMove = pgTable('organization_move', {
  organizationId: text('organization_id').primaryKey(),
  toCell: text('to_cell').notNull(),
  until: moment('until').notNull(),
});
