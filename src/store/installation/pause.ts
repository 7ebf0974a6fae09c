import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { installation } from '../schema/installation.ts';

/** The time at which sending was paused. Null if the installation is not paused. */
export async function readPausedAt(db: Queryable): Promise<Date | null> {
  const [row] = await db.select({ pausedAt: installation.pausedAt }).from(installation);
  return row?.pausedAt ?? null;
}

/** Ends the pause, and returns whether the installation was paused. */
export async function resumeInstallation(db: Queryable): Promise<boolean> {
  const resumed = await db
    .update(installation)
    .set({ pausedAt: null })
    .where(sql`${installation.pausedAt} IS NOT NULL`)
    .returning({ id: installation.id });
  return resumed.length > 0;
}
