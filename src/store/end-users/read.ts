import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { SurveyRating } from '../../../contract/ratings.ts';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { SURVEY_RATING } from '../ratings/columns.ts';
import { channel } from '../schema/channel.ts';
import { conversation } from '../schema/conversation.ts';
import { endUser, identity } from '../schema/end-user.ts';

export type EndUserRow = typeof endUser.$inferSelect;
export type IdentityRow = { endUserId: string; channelId: string; channelKind: string; address: string };

/** A person is shown with at most this many addresses. */
const MAX_IDENTITIES = 100;

export async function readEndUser(db: Queryable, orgId: string, id: string): Promise<EndUserRow | null> {
  const rows = await db
    .select()
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, id)));
  return rows[0] ?? null;
}

/**
 * The displayed name of each person by ID, which is a name or another distinguishing field. The result leaves out
 * people without such a field.
 */
export async function readNames(db: Queryable, orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: endUser.id,
      name: sql<string | null>`coalesce(${endUser.name}, ${endUser.externalId}, ${endUser.email}, ${endUser.phone})`,
    })
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), inArray(endUser.id, [...ids])));
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}

/** Returns the external IDs of these people, grouped by person. People without an external ID are absent. */
export async function readExternalIds(
  db: Queryable,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: endUser.id, externalId: endUser.externalId })
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), inArray(endUser.id, [...ids])));
  return new Map(rows.flatMap(({ id, externalId }) => (externalId === null ? [] : [[id, externalId] as const])));
}

/** Returns the addresses of the given people, grouped by person. One round trip reads a page of addresses. */
export async function listIdentitiesOf(
  db: Queryable,
  orgId: string,
  endUserIds: readonly string[],
): Promise<Map<string, IdentityRow[]>> {
  const found = new Map<string, IdentityRow[]>();
  if (endUserIds.length === 0) return found;
  const rows = await db
    .select({
      endUserId: identity.endUserId,
      channelId: identity.channelId,
      channelKind: channel.kind,
      address: identity.address,
    })
    .from(identity)
    .innerJoin(channel, and(eq(channel.orgId, identity.orgId), eq(channel.id, identity.channelId)))
    .where(and(eq(identity.orgId, orgId), inArray(identity.endUserId, [...endUserIds])))
    .limit(MAX_IDENTITIES * endUserIds.length);
  for (const row of rows) found.set(row.endUserId, [...(found.get(row.endUserId) ?? []), row]);
  return found;
}

export type EndUserConversationRow = Pick<
  typeof conversation.$inferSelect,
  'id' | 'agentId' | 'channelId' | 'key' | 'status' | 'locale' | 'tags' | 'createdAt' | 'updatedAt'
> & { channelKind: string; rating: SurveyRating | null };

const conversations = (db: Queryable) =>
  db
    .select({
      id: conversation.id,
      agentId: conversation.agentId,
      channelId: conversation.channelId,
      channelKind: channel.kind,
      key: conversation.key,
      status: conversation.status,
      locale: conversation.locale,
      tags: conversation.tags,
      rating: SURVEY_RATING,
      createdAt: conversation.createdAt,
      updatedAt: conversation.updatedAt,
    })
    .from(conversation)
    .innerJoin(channel, and(eq(channel.orgId, conversation.orgId), eq(channel.id, conversation.channelId)));

export async function listEndUserConversations(
  db: Queryable,
  orgId: string,
  endUserId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<EndUserConversationRow>> {
  const rows = await conversations(db)
    .where(
      and(
        eq(conversation.orgId, orgId),
        eq(conversation.endUserId, endUserId),
        // IDs contain their time of creation, so the index needs no second column.
        after ? lt(conversation.id, after.id) : undefined,
      ),
    )
    .orderBy(desc(conversation.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function findEndUserConversation(
  db: Queryable,
  orgId: string,
  endUserId: string,
  id: string,
): Promise<EndUserConversationRow | null> {
  const rows = await conversations(db).where(
    and(eq(conversation.orgId, orgId), eq(conversation.endUserId, endUserId), eq(conversation.id, id)),
  );
  return rows[0] ?? null;
}

export async function insertEndUser(
  db: Queryable,
  orgId: string,
  row: Pick<EndUserRow, 'id' | 'externalId' | 'name' | 'email' | 'phone' | 'locale' | 'timeZone'>,
): Promise<void> {
  await db.insert(endUser).values({ orgId, ...row });
}
