import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { campaignSchedule } from '../schema/campaign-schedule.ts';

export type ScheduleRow = typeof campaignSchedule.$inferSelect;

const one = (orgId: string, campaignId: string) =>
  and(eq(campaignSchedule.orgId, orgId), eq(campaignSchedule.campaignId, campaignId));

export async function readSchedule(db: Queryable, orgId: string, campaignId: string): Promise<ScheduleRow | null> {
  const [row] = await db.select().from(campaignSchedule).where(one(orgId, campaignId));
  return row ?? null;
}

/** Waits until a campaign that the schedule is starting is stored. */
export async function lockSchedule(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.select({ at: campaignSchedule.at }).from(campaignSchedule).where(one(orgId, campaignId)).for('update');
}

export async function writeSchedule(tx: Queryable, row: Omit<ScheduleRow, 'updatedAt'>): Promise<ScheduleRow> {
  const set = { ...row, updatedAt: sql`excluded.updated_at` };
  const [written] = await tx
    .insert(campaignSchedule)
    .values(row)
    .onConflictDoUpdate({ target: [campaignSchedule.orgId, campaignSchedule.campaignId], set })
    .returning();
  return written!;
}

export async function deleteSchedule(tx: Queryable, orgId: string, campaignId: string): Promise<boolean> {
  const gone = await tx.delete(campaignSchedule).where(one(orgId, campaignId));
  return gone.rowCount === 1;
}

/**
 * The schedule that has been due longest, of all organizations. Other workers get other schedules until the transaction
 * ends.
 */
export async function lockDueSchedule(tx: Queryable): Promise<(ScheduleRow & { nextDay: string }) | null> {
  const [row] = await tx
    .select()
    .from(campaignSchedule)
    .where(sql`${campaignSchedule.nextAt} <= now()`)
    .orderBy(campaignSchedule.nextAt)
    .limit(1)
    .for('update', { skipLocked: true });
  return (row as (ScheduleRow & { nextDay: string }) | undefined) ?? null;
}

/** Null: no further campaigns start until someone changes the schedule. */
export async function moveSchedule(
  tx: Queryable,
  { orgId, campaignId }: Pick<ScheduleRow, 'orgId' | 'campaignId'>,
  next: { day: string; at: Date } | null,
): Promise<void> {
  const set = next ? { nextDay: next.day, nextAt: next.at } : { nextDay: null, nextAt: null, paused: true };
  await tx.update(campaignSchedule).set(set).where(one(orgId, campaignId));
}

/** Delays a schedule that failed, so that other schedules run first. */
export async function delaySchedule(db: Queryable, { orgId, campaignId }: ScheduleRow, seconds: number): Promise<void> {
  await db
    .update(campaignSchedule)
    .set({ nextAt: sql`now() + ${seconds}::int * interval '1 second'` })
    .where(and(one(orgId, campaignId), sql`${campaignSchedule.nextAt} <= now()`));
}
