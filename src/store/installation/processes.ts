import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { runningProcess } from '../schema/installation.ts';

/** A process writes its row this often; one that has not for three times as long is gone. */
export const SEEN_EVERY_MS = 5_000;
const GONE_AFTER = sql.raw(`make_interval(secs => ${(3 * SEEN_EVERY_MS) / 1_000})`);

export async function seeProcess(db: Queryable, id: string, secretGeneration: number): Promise<void> {
  await db
    .insert(runningProcess)
    .values({ id, secretGeneration })
    .onConflictDoUpdate({ target: runningProcess.id, set: { seenAt: sql`now()` } });
}

/** Its own row, and those of processes that were killed. */
export async function forgetProcess(db: Queryable, id: string): Promise<void> {
  await db.delete(runningProcess).where(sql`id = ${id} OR seen_at < now() - ${GONE_AFTER}`);
}

/** Processes that run and do not know this PARLEY_SECRET: they could not read what is moved to it. */
export async function countProcessesWithout(db: Queryable, generation: number): Promise<number> {
  const { rows } = await db.execute<{ many: number }>(sql`SELECT count(*)::int AS many FROM running_process
    WHERE secret_generation < ${generation} AND seen_at > now() - ${GONE_AFTER}`);
  return rows[0]!.many;
}
