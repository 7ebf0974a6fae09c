import { and, asc, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import { MAX_COUNTED } from '../../../contract/dashboard/conversations.ts';
import type { Queryable } from '../db.ts';
import { conversation } from '../schema/conversation.ts';
import { candidates, type ConversationFilter, handedOver, ratedIn, startedIn, tagged } from './candidates.ts';
import { inView, WAITING_SINCE } from './inbox.ts';
import { recent, recentIds } from './recent.ts';
import { underCircumstances } from './outcomes.ts';
import { type ConversationRow, selectConversations } from './read.ts';

/** A conversation of the list, with its position in the order. */
type Listed = { row: ConversationRow; position: string };
/** `next` is the position of the last row. Only this file reads the position. */
export type ConversationPage = { rows: ConversationRow[]; hasMore: boolean; next: string };

/**
 * Conversations with one of the newest messages of the organization come first, the newest message first. All other
 * conversations follow in the order of their start, because an index by the last message would slow down every message.
 * In the view of waiting conversations, the longest wait comes first.
 */
export async function listConversationRows(
  db: Queryable,
  orgId: string,
  userId: string,
  filter: ConversationFilter,
  { limit, after }: { limit: number; after: string | null },
): Promise<ConversationPage> {
  const where = matching(orgId, userId, filter);
  const wanted = limit + 1;
  let found: Listed[];
  const sort = filter.sort ?? (filter.view === 'waiting' ? 'waiting' : 'latest');
  if (sort === 'waiting') {
    const among = filter.text === undefined ? undefined : await candidates(db, orgId, filter, where, { limit: wanted });
    found = await waiting(db, orgId, and(where, inIds(among)), wanted, after, filter.view === 'waiting');
  } else if (sort !== 'latest') {
    const page = { limit: wanted, after: after ?? undefined, byStart: sort };
    found = await byStart(db, where, await candidates(db, orgId, filter, where, page), page);
  } else {
    const among = filter.text === undefined ? undefined : await candidates(db, orgId, filter, where, { limit: wanted });
    const isOlder = after?.startsWith('conv_') === true;
    found = isOlder ? [] : await withNewMessages(db, orgId, and(where, inIds(among)), wanted, after);
    if (found.length < wanted) {
      const page = { limit: wanted - found.length, after: isOlder ? after : undefined };
      found.push(...(await older(db, orgId, where, among ?? (await candidates(db, orgId, filter, where, page)), page)));
    }
  }
  const rows = found.slice(0, limit);
  return { rows: rows.map(({ row }) => row), hasMore: found.length > limit, next: rows.at(-1)?.position ?? '' };
}

const matching = (orgId: string, userId: string, filter: ConversationFilter): SQL | undefined =>
  and(
    eq(conversation.orgId, orgId),
    filter.view && inView(filter.view, userId),
    // If the list is in the order of the wait, the query already leaves out conversations that do not wait.
    filter.view === 'waiting' && (filter.sort ?? 'waiting') !== 'waiting'
      ? sql`${WAITING_SINCE} IS NOT NULL`
      : undefined,
    filter.status ? eq(conversation.status, filter.status) : undefined,
    filter.agentId ? eq(conversation.agentId, filter.agentId) : undefined,
    filter.channelId ? eq(conversation.channelId, filter.channelId) : undefined,
    filter.endUserId ? eq(conversation.endUserId, filter.endUserId) : undefined,
    filter.tag === undefined ? undefined : tagged(orgId, filter.tag),
    sql`true ${underCircumstances(filter, 'conversation')}`,
    within(orgId, filter),
  );

/** The time in the list is the time of the rating, of the hand-off, or of the start. */
function within(orgId: string, filter: ConversationFilter): SQL | undefined {
  const { rated, handedOff } = filter;
  if (!rated && !handedOff) return sql`true ${startedIn(filter, 'conversation')}`;
  return and(
    rated &&
      sql`EXISTS (SELECT 1 FROM rating g WHERE g.conversation_id = ${conversation.id} AND ${ratedIn(orgId, filter)})`,
    handedOff
      ? sql`EXISTS (SELECT 1 FROM hand_off h WHERE h.conversation_id = ${conversation.id}
        AND ${handedOver(orgId, rated ? {} : filter)})`
      : undefined,
  );
}

const inIds = (ids: SQL | undefined): SQL | undefined => ids && sql`${conversation.id} = ANY (ARRAY(${ids}))`;

/**
 * The view reads at most as many conversations as are counted, and the longest wait comes first. Conversations without
 * a wait come last or do not appear.
 */
async function waiting(
  db: Queryable,
  orgId: string,
  where: SQL | undefined,
  limit: number,
  after: string | null,
  onlyWaiting: boolean,
): Promise<Listed[]> {
  const handedOff = sql`SELECT h.id FROM conversation h WHERE h.org_id = ${orgId} AND h.status = 'handed_off'
    ORDER BY h.id DESC LIMIT ${MAX_COUNTED}`;
  // OFFSET 0 makes the database compute the time once for each row.
  const waits = sql`(SELECT ${conversation}.id, ${WAITING_SINCE} AS since FROM ${conversation}
    WHERE ${conversation}.org_id = ${orgId} AND ${conversation}.id = ANY (ARRAY(${handedOff})) OFFSET 0) waits`;
  const [since, id] = after?.split(' ') ?? [];
  const isBehind = since === undefined ? undefined : sql`(${SINCE_TEXT}, ${conversation.id}) > (${since}, ${id})`;
  const rows = await selectConversations(db, SINCE_TEXT)
    .innerJoin(waits, sql`waits.id = ${conversation.id} AND (waits.since IS NOT NULL OR NOT ${onlyWaiting}::boolean)`)
    .where(and(where, isBehind))
    .orderBy(SINCE_TEXT, conversation.id)
    .limit(limit);
  return rows.map(({ position, ...row }) => ({ row, position: `${position} ${row.id}` }));
}

/**
 * Writes the time as a text with microseconds that sorts like the time. A conversation without a wait sorts after all
 * others.
 */
const SINCE_TEXT = sql<string>`coalesce(to_char(waits.since AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS'), 'z')`;

async function byStart(
  db: Queryable,
  where: SQL | undefined,
  among: SQL | undefined,
  { limit, after, byStart: order }: { limit: number; after: string | undefined; byStart: 'newest' | 'oldest' },
): Promise<Listed[]> {
  const isBehind = order === 'oldest' ? gt : lt;
  const rows = await selectConversations(db)
    .where(and(where, after === undefined ? undefined : isBehind(conversation.id, after), inIds(among)))
    .orderBy(order === 'oldest' ? asc(conversation.id) : desc(conversation.id))
    .limit(limit);
  return rows.map((row) => ({ row, position: row.id }));
}

async function withNewMessages(
  db: Queryable,
  orgId: string,
  where: SQL | undefined,
  limit: number,
  after: string | null,
): Promise<Listed[]> {
  const rows = await selectConversations(db, sql<string>`recent.last`)
    .innerJoin(sql`(${recent(orgId)}) recent`, sql`recent.id = ${conversation.id}`)
    // Each conversation is found by its key, because a join alone may read all conversations of the organization.
    .where(and(where, inIds(recentIds(orgId)), after === null ? undefined : sql`recent.last < ${after}`))
    .orderBy(sql`recent.last DESC`)
    .limit(limit);
  return rows.map(({ position, ...row }) => ({ row, position }));
}

async function older(
  db: Queryable,
  orgId: string,
  where: SQL | undefined,
  among: SQL | undefined,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<Listed[]> {
  const rows = await selectConversations(db)
    .where(
      and(
        where,
        sql`${conversation.id} NOT IN (${recentIds(orgId)})`,
        // IDs contain the start, so the primary key serves as the index of the list by start.
        after === undefined ? undefined : lt(conversation.id, after),
        inIds(among),
      ),
    )
    .orderBy(desc(conversation.id))
    .limit(limit);
  return rows.map((row) => ({ row, position: row.id }));
}
