import { and, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { ImportSettings } from '../../../contract/dashboard/imports.ts';
import type { Db, Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { endUserImport, endUserImportFault, endUserImportPiece } from '../schema/end-user-import.ts';

/** `pieces`: the number of stored pieces of the file. */
export type ImportRow = typeof endUserImport.$inferSelect & { pieces: number };
export type ImportFaultRow = typeof endUserImportFault.$inferSelect;

const ofImport = (orgId: string, id: string) => and(eq(endUserImport.orgId, orgId), eq(endUserImport.id, id));

const PIECES = sql<number>`(SELECT count(*)::int FROM end_user_import_piece p
  WHERE p.org_id = end_user_import.org_id AND p.import_id = end_user_import.id)`;

const rows = (db: Queryable) => db.select({ row: endUserImport, pieces: PIECES }).from(endUserImport);
const joined = ({ row, pieces }: { row: typeof endUserImport.$inferSelect; pieces: number }): ImportRow => ({
  ...row,
  pieces,
});

export async function insertImport(
  db: Queryable,
  orgId: string,
  row: Pick<ImportRow, 'id' | 'name' | 'bytes' | 'createdBy'>,
): Promise<void> {
  await db.insert(endUserImport).values({ orgId, ...row });
}

export async function readImport(db: Queryable, orgId: string, id: string): Promise<ImportRow | null> {
  const [found] = await rows(db).where(ofImport(orgId, id));
  return found ? joined(found) : null;
}

/** Lists imports, newest first by ID, which contains the time of creation. */
export async function listImports(
  db: Queryable,
  orgId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<ImportRow>> {
  const found = await rows(db)
    .where(and(eq(endUserImport.orgId, orgId), after ? lt(endUserImport.id, after.id) : undefined))
    .orderBy(desc(endUserImport.id))
    .limit(limit + 1);
  return pageOf(found.map(joined), limit);
}

/** The number of this organization's files that currently use storage. */
export async function countOpenImports(db: Queryable, orgId: string): Promise<number> {
  const found = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM end_user_import i
    WHERE i.org_id = ${orgId} AND (i.state = 'uploading' OR EXISTS (
      SELECT 1 FROM end_user_import_piece p WHERE p.org_id = i.org_id AND p.import_id = i.id))`);
  return found.rows[0]!.n;
}

/** A piece that is sent again replaces the stored piece. Returns false if the import accepts no more pieces. */
export async function putPiece(
  db: Db,
  orgId: string,
  id: string,
  { n, bytes }: { n: number; bytes: Buffer },
): Promise<boolean> {
  const put = await db.execute(sql`INSERT INTO end_user_import_piece (org_id, import_id, n, bytes)
    SELECT org_id, id, ${n}, ${bytes} FROM end_user_import
    WHERE org_id = ${orgId} AND id = ${id} AND state = 'uploading' FOR KEY SHARE
    ON CONFLICT (org_id, import_id, n) DO UPDATE SET bytes = excluded.bytes`);
  return put.rowCount === 1;
}

/** Reads the file piece by piece, from its beginning or from a later piece. */
export async function* readPieces(db: Queryable, orgId: string, id: string, first = 0): AsyncGenerator<Buffer> {
  for (let n = first; ; n++) {
    const [piece] = await db
      .select({ bytes: endUserImportPiece.bytes })
      .from(endUserImportPiece)
      .where(
        and(eq(endUserImportPiece.orgId, orgId), eq(endUserImportPiece.importId, id), eq(endUserImportPiece.n, n)),
      );
    if (!piece) return;
    yield piece.bytes;
  }
}

/**
 * Queues a file. The counts of an earlier run are reset. Returns false if the state of the import does not allow it.
 */
export async function queueImport(
  tx: Queryable,
  orgId: string,
  id: string,
  { settings, dryRun }: { settings: ImportSettings; dryRun: boolean },
): Promise<boolean> {
  const queued = await tx
    .update(endUserImport)
    .set({
      state: 'queued',
      dryRun,
      settings,
      run: sql`${endUserImport.run} + 1`,
      bytesDone: 0,
      rows: 0,
      created: 0,
      updated: 0,
      invalid: 0,
      fault: null,
      dueAt: sql`now()`,
      lease: null,
      updatedAt: sql`now()`,
      finishedAt: null,
    })
    .where(and(ofImport(orgId, id), inArray(endUserImport.state, ['uploading', 'done', 'failed'])))
    .returning({ id: endUserImport.id });
  if (queued.length === 0) return false;
  await tx
    .delete(endUserImportFault)
    .where(and(eq(endUserImportFault.orgId, orgId), eq(endUserImportFault.importId, id)));
  return true;
}

/** Stops the import at its current position. Imported rows stay. Returns false if the import is not in progress. */
export async function cancelImport(tx: Queryable, orgId: string, id: string): Promise<boolean> {
  const cancelled = await tx
    .update(endUserImport)
    .set({ state: 'cancelled', dueAt: null, lease: null, updatedAt: sql`now()`, finishedAt: sql`now()` })
    .where(
      and(
        ofImport(orgId, id),
        // After a dry run, or a fault of the file, cancelling discards the file.
        sql`(${endUserImport.state} IN ('uploading', 'queued', 'running') OR ${PIECES} > 0)`,
      ),
    )
    .returning({ id: endUserImport.id });
  if (cancelled.length > 0) await deletePieces(tx, orgId, id);
  return cancelled.length > 0;
}

async function deletePieces(tx: Queryable, orgId: string, id: string): Promise<void> {
  await tx
    .delete(endUserImportPiece)
    .where(and(eq(endUserImportPiece.orgId, orgId), eq(endUserImportPiece.importId, id)));
}

/** Failed rows after a row number, in the order of the file. */
export async function listImportFaults(
  db: Queryable,
  orgId: string,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<ImportFaultRow[]> {
  return db
    .select()
    .from(endUserImportFault)
    .where(
      and(eq(endUserImportFault.orgId, orgId), eq(endUserImportFault.importId, id), gt(endUserImportFault.row, after)),
    )
    .orderBy(endUserImportFault.row)
    .limit(limit);
}
