import { and, desc, eq, sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db.ts';
import { refusedOrigin } from '../schema/channel.ts';

export type RefusedOrigin = { origin: string; refusedAt: Date };

/** Only the newest of a channel are stored, because anyone can call with an invented origin. */
const MAX_ORIGINS = 5;

export async function recordRefusedOrigin(db: Db, orgId: string, channelId: string, origin: string): Promise<void> {
  const refusedAt = sql`now()`;
  await db
    .insert(refusedOrigin)
    .values({ orgId, channelId, origin, refusedAt })
    .onConflictDoUpdate({
      target: [refusedOrigin.orgId, refusedOrigin.channelId, refusedOrigin.origin],
      set: { refusedAt },
    });
  await db.execute(sql`
    DELETE FROM refused_origin WHERE org_id = ${orgId} AND channel_id = ${channelId} AND origin IN (
      SELECT origin FROM refused_origin WHERE org_id = ${orgId} AND channel_id = ${channelId}
      ORDER BY refused_at DESC, origin OFFSET ${MAX_ORIGINS})`);
}

/** Newest first. */
export const listRefusedOrigins = (db: Queryable, orgId: string, channelId: string): Promise<RefusedOrigin[]> =>
  db
    .select({ origin: refusedOrigin.origin, refusedAt: refusedOrigin.refusedAt })
    .from(refusedOrigin)
    .where(and(eq(refusedOrigin.orgId, orgId), eq(refusedOrigin.channelId, channelId)))
    .orderBy(desc(refusedOrigin.refusedAt), refusedOrigin.origin);
