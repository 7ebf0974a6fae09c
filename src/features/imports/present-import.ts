import type { ImportFault, ImportRecord, ImportState } from '../../../contract/dashboard/imports.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ImportFaultRow, ImportRow } from '../../store/imports/read.ts';

export const presentImport = (row: ImportRow): ImportRecord => ({
  id: row.id,
  name: row.name,
  bytes: row.bytes,
  pieces: row.pieces,
  state: row.state as ImportState,
  dry_run: row.dryRun,
  settings: row.settings,
  bytes_done: row.bytesDone,
  rows: row.rows,
  created: row.created,
  updated: row.updated,
  invalid: row.invalid,
  fault: row.fault,
  file_kept: row.pieces > 0,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
});

export const presentFault = (row: ImportFaultRow): ImportFault => ({
  row: row.row,
  cells: row.cells,
  faults: row.faults,
  created_at: timestamp(row.createdAt),
});
