import { and, asc, eq, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import { segment } from './schema/segment.ts';

export type SegmentRow = typeof segment.$inferSelect;

/** Returns all segments, because an organization has at most MAX_SEGMENTS. */
export const listSegments = (db: Queryable, orgId: string): Promise<SegmentRow[]> =>
  db
    .select()
    .from(segment)
    .where(eq(segment.orgId, orgId))
    .orderBy(asc(sql`lower(${segment.name})`));

export async function readSegment(db: Queryable, orgId: string, id: string): Promise<SegmentRow | null> {
  const [row] = await db
    .select()
    .from(segment)
    .where(and(eq(segment.orgId, orgId), eq(segment.id, id)));
  return row ?? null;
}

export async function insertSegment(
  tx: Queryable,
  orgId: string,
  row: Pick<SegmentRow, 'id' | 'name' | 'filters'>,
): Promise<SegmentRow> {
  const [made] = await tx
    .insert(segment)
    .values({ orgId, ...row })
    .returning();
  return made!;
}

export async function deleteSegment(tx: Queryable, orgId: string, id: string): Promise<SegmentRow | null> {
  const [gone] = await tx
    .delete(segment)
    .where(and(eq(segment.orgId, orgId), eq(segment.id, id)))
    .returning();
  return gone ?? null;
}
