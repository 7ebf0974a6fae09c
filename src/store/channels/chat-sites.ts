import { and, desc, eq, sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db.ts';
import { refusedOrigin } from '../schema/channel.ts';

export type ChatSite = { origin: string; refusedAt: Date; reachedAt: Date | null };

/** A channel stores only its newest origins, because anyone can call with an invented origin. */
const MAX_ORIGINS = 5;

/** Records that a page of a site opened the chat (`isReached`), or was refused. */
export async function recordChatSite(
  db: Db,
  orgId: string,
  channelId: string,
  { origin, isReached }: { origin: string; isReached: boolean },
): Promise<void> {
  const at = sql`now()`;
  const times = { refusedAt: at, ...(isReached && { reachedAt: at }) };
  await db
    .insert(refusedOrigin)
    .values({ orgId, channelId, origin, ...times })
    .onConflictDoUpdate({
      target: [refusedOrigin.orgId, refusedOrigin.channelId, refusedOrigin.origin],
      set: {
        refusedAt: sql`excluded.refused_at`,
        ...(isReached && { reachedAt: sql`excluded.reached_at` }),
      },
    });
  if (isReached) return;
  await db.execute(sql`
    DELETE FROM refused_origin WHERE org_id = ${orgId} AND channel_id = ${channelId} AND reached_at IS NULL
      AND origin IN (
      SELECT origin FROM refused_origin WHERE org_id = ${orgId} AND channel_id = ${channelId} AND reached_at IS NULL
      ORDER BY refused_at DESC, origin OFFSET ${MAX_ORIGINS})`);
}

/** Lists sites, newest first. */
export const listChatSites = (db: Queryable, orgId: string, channelId: string): Promise<ChatSite[]> =>
  db
    .select({
      origin: refusedOrigin.origin,
      refusedAt: refusedOrigin.refusedAt,
      reachedAt: refusedOrigin.reachedAt,
    })
    .from(refusedOrigin)
    .where(and(eq(refusedOrigin.orgId, orgId), eq(refusedOrigin.channelId, channelId)))
    .orderBy(desc(refusedOrigin.refusedAt), refusedOrigin.origin);
