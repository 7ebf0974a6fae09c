import { and, eq, ilike, or } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from './page.ts';
import { containing } from './search-text.ts';
import { channel } from './schema/channel.ts';
import { endUser, identity } from './schema/end-user.ts';

export type EndUserRow = typeof endUser.$inferSelect;
export type IdentityRow = { endUserId: string; channelId: string; channelKind: string; address: string };

/** Addresses of one person that are shown at most. */
const MAX_IDENTITIES = 100;

export async function readEndUser(db: Queryable, orgId: string, id: string): Promise<EndUserRow | null> {
  const rows = await db
    .select()
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, id)));
  return rows[0] ?? null;
}

export async function listIdentities(db: Queryable, orgId: string, endUserId: string): Promise<IdentityRow[]> {
  return db
    .select({
      endUserId: identity.endUserId,
      channelId: identity.channelId,
      channelKind: channel.kind,
      address: identity.address,
    })
    .from(identity)
    .innerJoin(channel, and(eq(channel.orgId, identity.orgId), eq(channel.id, identity.channelId)))
    .where(and(eq(identity.orgId, orgId), eq(identity.endUserId, endUserId)))
    .limit(MAX_IDENTITIES);
}

export async function listEndUsers(
  db: Queryable,
  orgId: string,
  filter: { text?: string | undefined },
  { limit, after }: PageRequest,
): Promise<PageOf<EndUserRow>> {
  const like = filter.text ? containing(filter.text) : null;
  const rows = await db
    .select()
    .from(endUser)
    .where(
      and(
        eq(endUser.orgId, orgId),
        like
          ? or(
              ilike(endUser.name, like),
              ilike(endUser.email, like),
              ilike(endUser.phone, like),
              ilike(endUser.externalId, like),
            )
          : undefined,
        behind(endUser.createdAt, endUser.id, after),
      ),
    )
    .orderBy(...newestFirst(endUser.createdAt, endUser.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function insertEndUser(
  db: Queryable,
  orgId: string,
  row: Pick<EndUserRow, 'id' | 'externalId' | 'name' | 'email' | 'phone' | 'locale' | 'timeZone'>,
): Promise<void> {
  await db.insert(endUser).values({ orgId, ...row });
}
