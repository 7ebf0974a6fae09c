import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { FAULTS_KEPT_DAYS, IMPORT_KEPT_HOURS, type ImportSettings } from '../../../contract/dashboard/imports.ts';
import type { Fault } from '../../../contract/problems.ts';
import type { Db, Queryable } from '../db.ts';
import { NOW } from '../schema/columns.ts';

/**
 * Imports have their own queue, as runs do: a due one is claimed by moving `due_at` to the end of a lease, every
 * finished batch of rows renews the lease, and nothing is stored without it. When a worker dies, another takes over
 * after the lease.
 */
export const IMPORT_LEASE_SECONDS = 30;

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

/** Not a second file of one organization: two large ones would hold up all others for as long as they take. */
export async function claimImport(pool: pg.Pool, lease: string): Promise<ClaimedImport | null> {
  const found = await pool.query<ClaimedImport>({
    name: 'claim-import',
    text: `WITH due AS MATERIALIZED (
        SELECT q.org_id, q.id FROM end_user_import q WHERE q.due_at <= ${NOW} AND NOT EXISTS (
          SELECT 1 FROM end_user_import r WHERE r.org_id = q.org_id AND r.lease IS NOT NULL AND r.due_at > ${NOW})
        ORDER BY q.due_at LIMIT 1 FOR UPDATE OF q SKIP LOCKED
      )
      UPDATE end_user_import i SET due_at = now() + make_interval(secs => ${IMPORT_LEASE_SECONDS}), lease = $1,
        state = 'running', updated_at = now()
      FROM due WHERE i.org_id = due.org_id AND i.id = due.id
      RETURNING i.org_id, i.id, i.run, i.dry_run, i.settings, i.rows, i.bytes::float8 AS bytes, i.lease`,
    values: [lease],
  });
  return found.rows[0] ?? null;
}

export type SettledRows = {
  /** The number of finished rows, and the position in the file. */
  rows: number;
  bytesDone: number;
  created: number;
  updated: number;
  invalid: { row: number; cells: string[]; faults: Fault[] }[];
};

/** Counts a batch, once: false when the import does not belong to this worker any more, or was cancelled. */
export async function settleRows(db: Db, held: ClaimedImport, batch: SettledRows): Promise<boolean> {
  return db.transaction(async (tx) => {
    const settled = await tx.execute(sql`UPDATE end_user_import SET rows = ${batch.rows},
        bytes_done = least(bytes, ${batch.bytesDone}::bigint), created = created + ${batch.created}::int,
        updated = updated + ${batch.updated}::int, invalid = invalid + ${batch.invalid.length}::int,
        due_at = now() + make_interval(secs => ${IMPORT_LEASE_SECONDS}), updated_at = now()
      WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease} AND state = 'running'
        AND rows < ${batch.rows}`);
    if (settled.rowCount !== 1) return false;
    if (batch.invalid.length > 0) {
      await tx.execute(sql`INSERT INTO end_user_import_fault (org_id, import_id, row, cells, faults)
        SELECT ${held.org_id}, ${held.id}, (f ->> 'row')::int, ARRAY(SELECT json_array_elements_text(f -> 'cells')),
          (f -> 'faults')::jsonb FROM json_array_elements(${JSON.stringify(batch.invalid)}::json) f
        ON CONFLICT DO NOTHING`);
    }
    return true;
  });
}

/** The end of a run. After the real run the file is deleted. */
export async function finishImport(
  db: Db,
  held: ClaimedImport,
  fault: { code: string; detail: string; row: number | null } | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    const done = await tx.execute(sql`UPDATE end_user_import SET state = ${fault ? 'failed' : 'done'},
        fault = ${fault && JSON.stringify(fault)}::jsonb,
        bytes_done = CASE WHEN ${fault === null} THEN bytes ELSE bytes_done END,
        due_at = NULL, lease = NULL, updated_at = now(), finished_at = now()
      WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease} AND state = 'running'`);
    if (done.rowCount !== 1 || held.dry_run || fault) return;
    await tx.execute(sql`DELETE FROM end_user_import_piece WHERE org_id = ${held.org_id} AND import_id = ${held.id}`);
  });
}

/** Leaves it to the next worker, now or after a delay. */
export async function releaseImport(pool: pg.Pool, held: ClaimedImport, inSeconds: number): Promise<void> {
  await pool.query(
    `UPDATE end_user_import SET due_at = now() + make_interval(secs => $4), lease = NULL, state = 'queued'
      WHERE org_id = $1 AND id = $2 AND lease = $3 AND state = 'running'`,
    [held.org_id, held.id, held.lease, inSeconds],
  );
}

/**
 * Removes files that were not imported and failed rows that were not fetched; at most `limit` of each. Returns the
 * larger number.
 */
export async function forgetImports(pool: pg.Pool, limit: number): Promise<number> {
  const pieces = await pool.query<{ count: number }>(
    `WITH gone AS (
      DELETE FROM end_user_import_piece WHERE ctid = ANY (ARRAY(SELECT p.ctid FROM end_user_import_piece p
        JOIN end_user_import i ON i.org_id = p.org_id AND i.id = p.import_id AND i.due_at IS NULL
        WHERE p.created_at < now() - interval '${IMPORT_KEPT_HOURS} hours' LIMIT $1)) RETURNING org_id, import_id
    ), cancelled AS (
      UPDATE end_user_import i SET state = 'cancelled', finished_at = now() FROM gone
      WHERE i.org_id = gone.org_id AND i.id = gone.import_id AND i.state = 'uploading'
    )
    SELECT count(*)::int FROM gone`,
    [limit],
  );
  const faults = await pool.query(
    `DELETE FROM end_user_import_fault WHERE ctid = ANY (ARRAY(SELECT ctid FROM end_user_import_fault
      WHERE created_at < now() - interval '${FAULTS_KEPT_DAYS} days' LIMIT $1))`,
    [limit],
  );
  return Math.max(pieces.rows[0]!.count, faults.rowCount ?? 0);
}

/** Deletes failed rows that contain a person who is being erased, by any identifier. */
export async function eraseImportFaults(tx: Queryable, orgId: string, identifiers: readonly string[]): Promise<void> {
  if (identifiers.length === 0) return;
  const named = sql.param(identifiers.map((one) => one.toLowerCase()));
  // In the possible spellings: `'+974 3000-0000` is the same number.
  await tx.execute(sql`DELETE FROM end_user_import_fault f WHERE org_id = ${orgId} AND EXISTS (
    SELECT 1 FROM unnest(f.cells) c WHERE lower(trim(c)) = ANY (${named}::text[])
      OR translate(lower(c), ' ().-''', '') = ANY (${named}::text[]))`);
}
