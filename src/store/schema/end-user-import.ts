import { sql } from 'drizzle-orm';
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ImportSettings } from '../../../contract/dashboard/imports.ts';
import type { Fault } from '../../../contract/problems.ts';
import { bytes, createdAt, moment, orgId } from './columns.ts';

/** An uploaded file of end users. The row is also an entry in the queue with `due_at` and `lease`, as for runs. */
export const endUserImport = pgTable(
  'end_user_import',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** The state is `uploading`, `queued`, `running`, `done`, `failed` or `cancelled`. */
    state: text('state').notNull().default('uploading'),
    dryRun: boolean('dry_run').notNull().default(true),
    /** The number of the run separates the stored results of the dry run and the real run. */
    run: integer('run').notNull().default(0),
    settings: jsonb('settings').$type<ImportSettings>(),
    bytesDone: bigint('bytes_done', { mode: 'number' }).notNull().default(0),
    /** The number of finished rows, after which an interrupted run continues. */
    rows: integer('rows').notNull().default(0),
    created: integer('created').notNull().default(0),
    updated: integer('updated').notNull().default(0),
    invalid: integer('invalid').notNull().default(0),
    fault: jsonb('fault').$type<{ code: string; detail: string; row: number | null }>(),
    createdBy: text('created_by').notNull(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('end_user_import_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);

/** The pieces of the uploaded file. The file is stored until the import ends, is cancelled, or is a day old. */
export const endUserImportPiece = pgTable(
  'end_user_import_piece',
  {
    orgId: orgId(),
    importId: text('import_id').notNull(),
    n: integer('n').notNull(),
    bytes: bytes('bytes').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.importId, table.n] }),
    foreignKey({
      columns: [table.orgId, table.importId],
      foreignColumns: [endUserImport.orgId, endUserImport.id],
    }).onDelete('cascade'),
    index('end_user_import_piece_age').on(table.createdAt),
  ],
);

/** A row that could not be imported, with its original content and the reason. */
export const endUserImportFault = pgTable(
  'end_user_import_fault',
  {
    orgId: orgId(),
    importId: text('import_id').notNull(),
    row: integer('row').notNull(),
    cells: text('cells').array().notNull(),
    faults: jsonb('faults').$type<Fault[]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.importId, table.row] }),
    foreignKey({
      columns: [table.orgId, table.importId],
      foreignColumns: [endUserImport.orgId, endUserImport.id],
    }).onDelete('cascade'),
    index('end_user_import_fault_age').on(table.createdAt),
  ],
);
