import { and, eq, sql } from 'drizzle-orm';
import { ATTENDING_SECONDS } from '../../../contract/dashboard/hand-offs.ts';
import { byCell } from '../cells/by-cell.ts';
import type { Queryable } from '../db.ts';
import { handOffRule, memberAttendance } from '../schema/hand-off-rule.ts';

export type HandOffRule = typeof handOffRule.$inferSelect;

export async function readHandOffRule(db: Queryable, orgId: string): Promise<HandOffRule | null> {
  const [row] = await db.select().from(handOffRule).where(eq(handOffRule.orgId, orgId));
  return row ?? null;
}

/** Null removes the rule, so hand-offs are not processed. */
export async function writeHandOffRule(
  tx: Queryable,
  orgId: string,
  rule: Omit<HandOffRule, 'orgId'> | null,
): Promise<void> {
  if (rule === null) await tx.delete(handOffRule).where(eq(handOffRule.orgId, orgId));
  else
    await tx
      .insert(handOffRule)
      .values({ orgId, ...rule })
      .onConflictDoUpdate({ target: handOffRule.orgId, set: rule });
}

/** A member who leaves gets no more hand-offs. The hours of the rule stay. */
export async function forgetHandOffsTo(tx: Queryable, orgId: string, userId: string): Promise<void> {
  await tx.execute(sql`UPDATE hand_off_rule SET goes_to = 'no_one', user_id = NULL
    WHERE org_id = ${orgId} AND user_id = ${userId}`);
}

/** Records that the given members have the dashboard open and visible now. */
export async function writeAttendance(
  db: Queryable,
  seen: readonly { orgId: string; userId: string }[],
): Promise<void> {
  await byCell(
    db,
    seen,
    ({ orgId }) => orgId,
    (some) => attend(db, some),
  );
}

async function attend(db: Queryable, seen: readonly { orgId: string; userId: string }[]): Promise<[]> {
  // All nodes write the rows in one order, so that two nodes never wait for each other.
  await db.execute(sql`INSERT INTO member_attendance (org_id, user_id, seen_at)
    SELECT DISTINCT m.organization_id, m.user_id, now()
    FROM unnest(${sql.param(seen.map(({ orgId }) => orgId))}::text[],
      ${sql.param(seen.map(({ userId }) => userId))}::text[]) AS w(org_id, user_id)
    JOIN member m ON m.organization_id = w.org_id AND m.user_id = w.user_id
    ORDER BY 1, 2
    ON CONFLICT (org_id, user_id) DO UPDATE SET seen_at = excluded.seen_at`);
  return [];
}

/** The member is away until the member chooses to be present. */
export async function writeAway(tx: Queryable, orgId: string, userId: string, away: boolean): Promise<void> {
  await tx
    .insert(memberAttendance)
    .values({ orgId, userId, seenAt: sql`now()`, away })
    .onConflictDoUpdate({ target: [memberAttendance.orgId, memberAttendance.userId], set: { away } });
}

export async function isAway(tx: Queryable, orgId: string, userId: string): Promise<boolean> {
  const [row] = await tx
    .select({ away: memberAttendance.away })
    .from(memberAttendance)
    .where(and(eq(memberAttendance.orgId, orgId), eq(memberAttendance.userId, userId)));
  return row?.away ?? false;
}

/**
 * Chooses the present member who may answer and has waited longest for a hand-off, and records the member's turn. The
 * caller has locked the members, so that two simultaneous hand-offs go to different members.
 */
export async function takeTurn(tx: Queryable, orgId: string): Promise<string | null> {
  const { rows } = await tx.execute<{
    user_id: string;
  }>(sql`UPDATE member_attendance SET given_at = statement_timestamp()
    WHERE org_id = ${orgId} AND user_id = (
      SELECT a.user_id FROM member_attendance a
      JOIN member m ON m.organization_id = a.org_id AND m.user_id = a.user_id AND m.role <> 'viewer'
      WHERE a.org_id = ${orgId} AND NOT a.away AND a.seen_at > now() - ${ATTENDING_SECONDS}::int * interval '1 second'
      ORDER BY a.given_at NULLS FIRST, a.user_id LIMIT 1)
    RETURNING user_id`);
  return rows[0]?.user_id ?? null;
}
