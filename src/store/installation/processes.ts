import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { runningProcess } from '../schema/installation.ts';

/** The interval at which a process writes its row. */
export const SEEN_EVERY_MS = 5_000;
/** A process that has written nothing for this long counts as ended. A suspended process also counts as ended. */
export const GONE_AFTER_SECONDS = (3 * SEEN_EVERY_MS) / 1_000;
export const GONE_AFTER = sql.raw(`make_interval(secs => ${GONE_AFTER_SECONDS})`);

/** `cellsVersion`: the newest change of the cells that the process has read. */
export async function seeProcess(
  db: Queryable,
  id: string,
  secretGeneration: number,
  cellsVersion: number,
): Promise<void> {
  await db
    .insert(runningProcess)
    .values({ id, secretGeneration, cellsVersion })
    .onConflictDoUpdate({ target: runningProcess.id, set: { seenAt: sql`now()`, cellsVersion } });
}

/** Deletes the rows of this process and of killed processes. */
export async function forgetProcess(db: Queryable, id: string): Promise<void> {
  await db.delete(runningProcess).where(sql`id = ${id} OR seen_at < now() - ${GONE_AFTER}`);
}

/** The number of running processes that do not know this PARLEY_SECRET and could not read data under it. */
export async function countProcessesWithout(db: Queryable, generation: number): Promise<number> {
  const { rows } = await db.execute<{ many: number }>(sql`SELECT count(*)::int AS many FROM running_process
    WHERE secret_generation < ${generation} AND seen_at > now() - ${GONE_AFTER}`);
  return rows[0]!.many;
}
