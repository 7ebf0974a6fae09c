import { sql } from 'drizzle-orm';
import type pg from 'pg';
import {
  FAULT_RETENTION_DAYS,
  IMPORT_RETENTION_HOURS,
  type ImportSettings,
} from '../../../contract/dashboard/imports.ts';
import type { Fault } from '../../../contract/problems.ts';
import type { Db } from '../db.ts';
import { type Leased, leasedQueue } from '../queue/leased-queue.ts';
import { NOW } from '../schema/columns.ts';

/** Each finished batch of rows renews the lease. */
const QUEUE = leasedQueue('end_user_import', ['org_id', 'id']);
type LeasedImport = Leased<'org_id' | 'id'>;

export type ClaimedImport = {
  org_id: string;
  id: string;
  run: number;
  dry_run: boolean;
  settings: ImportSettings;
  rows: number;
  bytes: number;
  lease: string;
};

/** Claims no second file of the same organization, because two large files would delay all other organizations. */
export const claimImport = QUEUE.claimOne<ClaimedImport>({
  due: QUEUE.dueFirst({
    and: `AND NOT EXISTS (
      SELECT 1 FROM end_user_import r WHERE r.org_id = q.org_id AND r.lease IS NOT NULL AND r.due_at > ${NOW})`,
  }),
  set: `state = 'running', updated_at = now()`,
  returning: 'q.org_id, q.id, q.run, q.dry_run, q.settings, q.rows, q.bytes::float8 AS bytes, q.lease',
});

export type RowOutcomes = {
  /** The number of finished rows, and the position in the file after them. */
  rows: number;
  bytesDone: number;
  created: number;
  updated: number;
  invalid: { row: number; cells: string[]; faults: Fault[] }[];
};

/** Renews the lease. Returns false if the import was cancelled or belongs to another worker. */
export const renewImport = (db: Db, claimed: ClaimedImport): Promise<boolean> =>
  QUEUE.renew(db, claimed, sql`updated_at = now()`);

/** Counts a batch of rows only once. Returns false if the import was cancelled or belongs to another worker. */
export async function finishRows(db: Db, claimed: ClaimedImport, batch: RowOutcomes): Promise<boolean> {
  return db.transaction(async (tx) => {
    const progress = sql`rows = ${batch.rows}, bytes_done = least(bytes, ${batch.bytesDone}::bigint),
      created = created + ${batch.created}::int, updated = updated + ${batch.updated}::int,
      invalid = invalid + ${batch.invalid.length}::int, updated_at = now()`;
    if (!(await QUEUE.renew(tx, claimed, progress, sql`rows < ${batch.rows}`))) return false;
    if (batch.invalid.length > 0) {
      await tx.execute(sql`INSERT INTO end_user_import_fault (org_id, import_id, row, cells, faults)
        SELECT ${claimed.org_id}, ${claimed.id}, (f ->> 'row')::int, ARRAY(SELECT json_array_elements_text(f -> 'cells')),
          (f -> 'faults')::jsonb FROM json_array_elements(${JSON.stringify(batch.invalid)}::json) f
        ON CONFLICT DO NOTHING`);
    }
    return true;
  });
}

/** Ends a run. After the import, the file is deleted. A dry run does not delete the file. */
export async function finishImport(
  db: Db,
  claimed: ClaimedImport,
  fault: { code: string; detail: string; row: number | null } | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    const end = sql`state = ${fault ? 'failed' : 'done'}, fault = ${fault && JSON.stringify(fault)}::jsonb,
      bytes_done = CASE WHEN ${fault === null} THEN bytes ELSE bytes_done END, updated_at = now(), finished_at = now()`;
    if (!(await QUEUE.finish(tx, claimed, end)) || claimed.dry_run || fault) return;
    await tx.execute(
      sql`DELETE FROM end_user_import_piece WHERE org_id = ${claimed.org_id} AND import_id = ${claimed.id}`,
    );
  });
}

/** Releases the import for the next worker, immediately or after a delay. */
export async function releaseImport(db: Db, claimed: LeasedImport, inSeconds: number): Promise<void> {
  await QUEUE.release(db, claimed, inSeconds, sql`state = 'queued'`);
}

/**
 * Removes abandoned files and failed rows that were not downloaded, at most `limit` of each. Returns the larger of the
 * two numbers.
 */
export async function forgetImports(pool: pg.Pool, limit: number): Promise<number> {
  const pieces = await pool.query<{ count: number }>(
    `WITH gone AS (
      DELETE FROM end_user_import_piece WHERE ctid = ANY (ARRAY(SELECT p.ctid FROM end_user_import_piece p
        JOIN end_user_import i ON i.org_id = p.org_id AND i.id = p.import_id AND i.due_at IS NULL
        WHERE p.created_at < now() - interval '${IMPORT_RETENTION_HOURS} hours' LIMIT $1)) RETURNING org_id, import_id
    ), cancelled AS (
      UPDATE end_user_import i SET state = 'cancelled', finished_at = now() FROM gone
      WHERE i.org_id = gone.org_id AND i.id = gone.import_id AND i.state = 'uploading'
    )
    SELECT count(*)::int FROM gone`,
    [limit],
  );
  const faults = await pool.query(
    `DELETE FROM end_user_import_fault WHERE ctid = ANY (ARRAY(SELECT ctid FROM end_user_import_fault
      WHERE created_at < now() - interval '${FAULT_RETENTION_DAYS} days' LIMIT $1))`,
    [limit],
  );
  return Math.max(pieces.rows[0]!.count, faults.rowCount ?? 0);
}
