import { and, count, eq, ilike, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { containing } from '../search-text.ts';
import { channel } from '../schema/channel.ts';

export type ChannelRow = typeof channel.$inferSelect;

const living = (orgId: string, id: string) =>
  and(eq(channel.orgId, orgId), eq(channel.id, id), isNull(channel.deletedAt));

export async function insertChannel(
  db: Queryable,
  orgId: string,
  input: Pick<ChannelRow, 'id' | 'agentId' | 'kind' | 'name'> & Partial<Pick<ChannelRow, 'settings' | 'sealed'>>,
): Promise<ChannelRow> {
  const rows = await db
    .insert(channel)
    .values({ orgId, ...input })
    .returning();
  return rows[0]!;
}

export async function countChannels(db: Queryable, orgId: string, agentId: string): Promise<number> {
  const rows = await db
    .select({ many: count() })
    .from(channel)
    .where(and(eq(channel.orgId, orgId), eq(channel.agentId, agentId), isNull(channel.deletedAt)));
  return rows[0]!.many;
}

export async function readChannel(db: Queryable, orgId: string, id: string): Promise<ChannelRow | null> {
  const rows = await db.select().from(channel).where(living(orgId, id));
  return rows[0] ?? null;
}

export async function listChannels(
  db: Queryable,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<ChannelRow>> {
  const rows = await db
    .select()
    .from(channel)
    .where(
      and(
        eq(channel.orgId, orgId),
        isNull(channel.deletedAt),
        filter.agentId ? eq(channel.agentId, filter.agentId) : undefined,
        filter.text ? ilike(channel.name, containing(filter.text)) : undefined,
        behind(channel.createdAt, channel.id, after),
      ),
    )
    .orderBy(...newestFirst(channel.createdAt, channel.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** Enabled channels that do not work, by name. */
export const listBrokenChannels = async (
  db: Queryable,
  orgId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: channel.id, name: channel.name })
    .from(channel)
    .where(
      and(eq(channel.orgId, orgId), isNull(channel.deletedAt), eq(channel.enabled, true), eq(channel.status, 'broken')),
    )
    .orderBy(channel.name, channel.id)
    .limit(limit);

/** `sealed`: the change is made only if the channel's sealed credentials still have this value. */
export async function changeChannel(
  db: Queryable,
  orgId: string,
  id: string,
  changes: Partial<
    Pick<ChannelRow, 'name' | 'enabled' | 'settings' | 'sealed' | 'status' | 'statusDetail' | 'deletedAt'>
  >,
  sealed?: string | null,
): Promise<ChannelRow | null> {
  const rows = await db
    .update(channel)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(
      and(living(orgId, id), sealed === undefined ? undefined : sql`${channel.sealed} IS NOT DISTINCT FROM ${sealed}`),
    )
    .returning();
  return rows[0] ?? null;
}

/** Parley examines at most this many addresses of a channel. Recent inbound messages are stored separately. */
const MAX_IDENTITIES_SEEN = 1_000;

/** True if the channel has ever received a message. */
export async function hasReceived(db: Queryable, orgId: string, id: string): Promise<boolean> {
  const { rows } = await db.execute<{ received: boolean }>(sql`
    SELECT EXISTS (SELECT FROM inbound_event WHERE org_id = ${orgId} AND channel_id = ${id})
      OR EXISTS (SELECT FROM (SELECT last_inbound_at FROM identity WHERE org_id = ${orgId} AND channel_id = ${id}
        LIMIT ${MAX_IDENTITIES_SEEN}) AS known WHERE last_inbound_at IS NOT NULL) AS received`);
  return rows[0]!.received;
}
