import { and, between, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { analyticsDay, type DayFacts } from '../schema/numbers.ts';

export type FactDay = { day: string; timeZone: string; facts: DayFacts; countedAt: Date };

/** The counted days from `since` to `until`, such as `2026-11-23`, with both ends. */
export const readFactDays = (db: Queryable, orgId: string, since: string, until: string): Promise<FactDay[]> =>
  db
    .select({
      day: analyticsDay.day,
      timeZone: analyticsDay.timeZone,
      facts: analyticsDay.facts,
      countedAt: analyticsDay.countedAt,
    })
    .from(analyticsDay)
    .where(and(eq(analyticsDay.orgId, orgId), between(analyticsDay.day, since, until)));

/** `countedAt` is the time before the counting began, as for the days of Home. */
export async function storeFactDay(db: Queryable, orgId: string, { day, ...set }: FactDay): Promise<void> {
  await db
    .insert(analyticsDay)
    .values({ orgId, day, ...set })
    .onConflictDoUpdate({
      target: [analyticsDay.orgId, analyticsDay.day],
      set,
      setWhere: sql`${analyticsDay.countedAt} < ${set.countedAt} OR ${analyticsDay.timeZone} <> ${set.timeZone}`,
    });
}
