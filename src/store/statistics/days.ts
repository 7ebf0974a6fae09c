import { and, eq, gte, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { type DayCounts, numbersDay } from '../schema/numbers.ts';

export type CountedDay = { day: string; counts: DayCounts; countedAt: Date };

/** The counted days from a given day, such as `2026-11-23`. */
export const readDays = (db: Queryable, orgId: string, since: string): Promise<CountedDay[]> =>
  db
    .select({ day: numbersDay.day, counts: numbersDay.counts, countedAt: numbersDay.countedAt })
    .from(numbersDay)
    .where(and(eq(numbersDay.orgId, orgId), gte(numbersDay.day, since)));

/**
 * `countedAt` is the time before the counting began, so data that is written during the counting is counted next time.
 */
export async function storeDay(db: Queryable, orgId: string, { day, counts, countedAt }: CountedDay): Promise<void> {
  const set = { counts, countedAt };
  await db
    .insert(numbersDay)
    .values({ orgId, day, ...set })
    .onConflictDoUpdate({
      target: [numbersDay.orgId, numbersDay.day],
      set,
      setWhere: sql`${numbersDay.countedAt} < ${countedAt}`,
    });
}
