import { sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db.ts';
import { NOW } from '../schema/columns.ts';

/**
 * Files in an object store (BLOBS_URL). Each file is first accepted into the database, even with a store, so the store
 * may be unavailable. A worker moves the file to the object store later. The name of an object consists of its
 * organization and its hash. Equal files of one organization share one object, which is deleted with the last of these
 * files.
 */
type Place = { orgId: string; hash: string };

/** A move that takes longer has failed, because its process died or the store was not available. */
const MOVE_MINUTES = 5;

/**
 * Uploads and deletions of one object wait for each other, so that an object is never deleted while a new row refers to
 * it.
 */
const lockObject = (tx: Queryable, { orgId, hash }: Place) =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`blob ${orgId} ${hash}`}, 0))`);

const CAN_BE_MOVED = sql.raw(`place IS DISTINCT FROM 'store' AND due_at IS NULL AND message_id IS NOT NULL
  AND bytes IS NOT NULL AND (place IS NULL OR placed_at < now() - interval '${MOVE_MINUTES} minutes')`);

/** Files with bytes in the database that can be moved, the oldest first. */
export async function findMovable(db: Queryable, limit: number): Promise<(Place & { id: string })[]> {
  const { rows } = await db.execute<Place & { id: string }>(sql`SELECT org_id AS "orgId", id, hash FROM attachment
    WHERE ${CAN_BE_MOVED} ORDER BY created_at LIMIT ${limit}`);
  return rows;
}

/**
 * Marks the file as being moved by this worker only. Returns null if another worker moves the file, or the file was
 * erased.
 */
export function beginMove(db: Db, one: Place & { id: string }): Promise<Buffer | null> {
  return db.transaction(async (tx) => {
    await lockObject(tx, one);
    const { rows } = await tx.execute<{ bytes: Buffer }>(sql`UPDATE attachment SET place = 'moving', placed_at = now()
      WHERE org_id = ${one.orgId} AND id = ${one.id} AND ${CAN_BE_MOVED} RETURNING bytes`);
    return rows[0]?.bytes ?? null;
  });
}

/** The object is stored, so the bytes in the database are deleted. */
export async function completeMove(db: Queryable, { orgId, id }: { orgId: string; id: string }): Promise<void> {
  await db.execute(sql`UPDATE attachment SET place = 'store', bytes = NULL
    WHERE org_id = ${orgId} AND id = ${id} AND place = 'moving'`);
}

export async function findDeletions(db: Queryable, limit: number): Promise<Place[]> {
  const { rows } = await db.execute<Place>(sql`SELECT org_id AS "orgId", hash FROM blob_deletion
    WHERE due_at <= ${sql.raw(NOW)} ORDER BY due_at LIMIT ${limit}`);
  return rows;
}

/**
 * Deletes the object with `remove`, unless a row refers to it again. If the deletion fails, the object is deleted
 * later. The entry is not locked, because an erase that writes the entry must not wait for the store. If the entry was
 * written again during the deletion, the entry stays.
 */
export function finishDeletion(db: Db, one: Place, remove: () => Promise<void>): Promise<void> {
  const { orgId, hash } = one;
  return db.transaction(async (tx) => {
    await lockObject(tx, one);
    const { rows } = await tx.execute<{ version: string; used: boolean }>(sql`
      SELECT xmin::text AS version, EXISTS (SELECT 1 FROM attachment
        WHERE org_id = ${orgId} AND hash = ${hash} AND place IS NOT NULL) AS used
      FROM blob_deletion WHERE org_id = ${orgId} AND hash = ${hash} AND due_at <= ${sql.raw(NOW)}`);
    const [found] = rows;
    if (!found) return;
    if (!found.used) await remove();
    await tx.execute(sql`DELETE FROM blob_deletion
      WHERE org_id = ${orgId} AND hash = ${hash} AND xmin::text = ${found.version}`);
  });
}

export async function postponeDeletion(db: Queryable, { orgId, hash }: Place): Promise<void> {
  await db.execute(sql`UPDATE blob_deletion SET due_at = now() + interval '${sql.raw(String(MOVE_MINUTES))} minutes'
    WHERE org_id = ${orgId} AND hash = ${hash}`);
}

/** The name of an object. The name contains only values that Parley creates. */
export const objectName = ({ orgId, hash }: Place): string => `${orgId}/${hash}`;
