import { type SQL, sql } from 'drizzle-orm';
import type { ConversationSort, RatedFilter } from '../../../contract/dashboard/conversations.ts';
import { CLOCK_SLACK_MS, firstId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { listEndUsers } from '../end-users/search.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { conversation } from '../schema/conversation.ts';
import { SURVEY } from '../schema/rating.ts';
import { containing } from '../search-text.ts';
import type { ConversationView } from './inbox.ts';
import { type Circumstances, hasCircumstances, underCircumstances } from './outcomes.ts';
import { recentIds } from './recent.ts';

export type ConversationFilter = Circumstances & {
  text?: string | undefined;
  view?: ConversationView | undefined;
  status?: string | undefined;
  agentId?: string | undefined;
  channelId?: string | undefined;
  endUserId?: string | undefined;
  tag?: string | undefined;
  sort?: ConversationSort | undefined;
  /**
   * The period in which a conversation started. With `rated`, it was rated in this period, and with `handedOff`, it was
   * handed over.
   */
  since?: Date | undefined;
  until?: Date | undefined;
  handedOff?: boolean | undefined;
  /**
   * The filter selects rated conversations, with any score or with one score. In the list of rated conversations, the
   * time is the time of the rating.
   */
  rated?: RatedFilter | undefined;
};

type Page = {
  limit: number;
  after?: string | undefined;
  /**
   * The list is in the order of the conversation IDs, which is the order of their start. Undefined: the newest
   * conversation comes first, without conversations that have new messages.
   */
  byStart?: 'newest' | 'oldest' | undefined;
};

/** A condition for the IDs that follow the previous page, in the order of the list. */
const behind = (orgId: string, id: SQL, { after, byStart }: Page): SQL => {
  const isBehind = byStart === 'oldest' ? sql`AND ${id} > ${after}` : sql`AND ${id} < ${after}`;
  return sql`${after === undefined ? sql`` : isBehind} ${byStart ? sql`` : sql`AND ${id} NOT IN (${recentIds(orgId)})`}`;
};
const ordered = ({ byStart }: Page): SQL => (byStart === 'oldest' ? sql`ASC` : sql`DESC`);

const ofOrg = (orgId: string): SQL => sql`${sql.raw(checkedOnly('c.org_id'))} = ${orgId}`;

/** The columns and the predicate of the index `conversation_org_tags`, written exactly as in the index. */
export const tagged = (orgId: string, tag: string): SQL =>
  sql`ARRAY[${conversation.orgId}] @> ARRAY[${orgId}]::text[] AND ${conversation.tags} @> ARRAY[${tag}]::text[]
    AND ${conversation.tags} <> '{}'`;

/**
 * Returns a query of IDs that include all conversations on the page of a list. The result is undefined if the list
 * needs no filter or has a separate index. Except for a search, the query excludes conversations with new messages. The
 * list of conversations is in the order of the primary key. A query in the order of the primary key reads a million
 * conversations when few match, so the index of the most selective filter is read first.
 */
export async function candidates(
  db: Queryable,
  orgId: string,
  filter: ConversationFilter,
  where: SQL | undefined,
  page: Page,
): Promise<SQL | undefined> {
  if (filter.text !== undefined) return mentioning(db, orgId, filter.text);
  if (filter.endUserId)
    return sql`SELECT c.id FROM conversation c WHERE c.end_user_id = ${filter.endUserId} AND ${ofOrg(orgId)}`;
  if (filter.rated) return sql`SELECT g.conversation_id FROM rating g WHERE ${ratedIn(orgId, filter)}`;
  if (filter.handedOff) return sql`SELECT h.conversation_id FROM hand_off h WHERE ${handedOver(orgId, filter)}`;
  // A hand-off and a rating are never earlier than the start of their conversation.
  const { outcome, since } = filter;
  if (outcome === 'handed_over' || outcome === 'team_replied')
    return sql`SELECT h.conversation_id FROM hand_off h WHERE ${handedOver(orgId, { since })}`;
  if (outcome === 'rated')
    return sql`SELECT g.conversation_id FROM rating g WHERE ${ratedIn(orgId, { since, rated: 'any' })}`;
  if (hasCircumstances(filter) && !filter.view) return walked(orgId, filter, page);
  if (filter.tag !== undefined) return taggedWith(db, orgId, filter, where, page);
  if (filter.view) return undefined;
  if (filter.status || filter.agentId || filter.channelId) return inChannels(orgId, filter, page);
  return undefined;
}

/** IDs contain the start of the conversation, so a period is a range of the primary key. */
export function startedIn({ since, until }: ConversationFilter, table: string): SQL {
  const [id, createdAt] = [sql.raw(`${table}.id`), sql.raw(`${table}.created_at`)];
  const from = since && firstId('conv', since.getTime() - CLOCK_SLACK_MS);
  const to = until && firstId('conv', until.getTime() + CLOCK_SLACK_MS);
  return sql`${since ? sql`AND ${id} >= ${from} AND ${createdAt} >= ${since}` : sql``}
    ${until ? sql`AND ${id} < ${to} AND ${createdAt} < ${until}` : sql``}`;
}

/** The primary key of `hand_off` is in the order of the time. */
export const handedOver = (orgId: string, { since, until }: ConversationFilter): SQL => sql`h.org_id = ${orgId}
  ${since ? sql`AND h.at >= ${since}` : sql``} ${until ? sql`AND h.at < ${until}` : sql``}`;

/**
 * No index contains the outcome of a conversation, so the conversations of the period are examined in the order of the
 * list until the page is full.
 */
const walked = (orgId: string, { status, agentId, channelId, tag, ...filter }: ConversationFilter, page: Page): SQL =>
  sql`SELECT c.id FROM conversation c WHERE c.org_id = ${orgId} ${behind(orgId, sql`c.id`, page)}
      ${startedIn(filter, 'c')} ${status ? sql`AND c.status = ${status}` : sql``}
      ${agentId ? sql`AND c.agent_id = ${agentId}` : sql``} ${channelId ? sql`AND c.channel_id = ${channelId}` : sql``}
      ${tag === undefined ? sql`` : sql`AND ${tag} = ANY (c.tags)`} ${underCircumstances(filter, 'c')}
    ORDER BY c.id ${ordered(page)} LIMIT ${page.limit}`;

/** The index `rating_scored` is in the order of the time. */
export const ratedIn = (orgId: string, { since, until, rated }: ConversationFilter): SQL => sql`g.org_id = ${orgId}
  AND g.subject = ${SURVEY} AND g.score IS NOT NULL ${rated === 'any' ? sql`` : sql`AND g.score = ${Number(rated)}`}
  ${since ? sql`AND g.rated_at >= ${since}` : sql``} ${until ? sql`AND g.rated_at < ${until}` : sql``}`;

const STATUSES = ['open', 'handed_off', 'resolved'];

/**
 * Reads the page of each channel and status from the index `conversation_channel`, because an agent has few channels.
 */
const inChannels = (orgId: string, { status, agentId, channelId, ...filter }: ConversationFilter, page: Page): SQL =>
  sql`SELECT c.id FROM channel ch
    CROSS JOIN unnest(${sql.param(status ? [status] : STATUSES)}::text[]) AS s(status)
    CROSS JOIN LATERAL (SELECT c.id FROM conversation c
      WHERE c.channel_id = ch.id AND c.status = s.status AND ${ofOrg(orgId)} ${behind(orgId, sql`c.id`, page)}
        ${startedIn(filter, 'c')}
      ORDER BY c.id ${ordered(page)} LIMIT ${page.limit}) c
    WHERE ch.org_id = ${orgId} ${agentId ? sql`AND ch.agent_id = ${agentId}` : sql``}
      ${channelId ? sql`AND ch.id = ${channelId}` : sql``}
    ORDER BY c.id ${ordered(page)} LIMIT ${page.limit}`;

/** A list examines at most this many of the newest conversations one by one. */
const EXAMINED = 2_000;

/**
 * The index of tags has no order. For a frequent tag, the newest conversations that match the whole filter fill the
 * page. A rare tag is read from the index.
 */
async function taggedWith(
  db: Queryable,
  orgId: string,
  filter: ConversationFilter,
  where: SQL | undefined,
  page: Page,
): Promise<SQL> {
  // The subquery has the name of the table, so that the conditions apply to the subquery.
  const newest = sql`SELECT conversation.id FROM (SELECT * FROM conversation n
      WHERE n.org_id = ${orgId} ${behind(orgId, sql`n.id`, page)} ${startedIn(filter, 'n')}
      ORDER BY n.id ${ordered(page)} LIMIT ${EXAMINED}) conversation
    WHERE ${where} ORDER BY conversation.id ${ordered(page)} LIMIT ${page.limit}`;
  const { rows } = await db.execute<{ id: string }>(newest);
  if (rows.length === page.limit) return sql`SELECT unnest(${sql.param(rows.map(({ id }) => id))}::text[])`;
  return sql`SELECT conversation.id FROM conversation WHERE ${tagged(orgId, filter.tag!)}`;
}

/**
 * A search reads at most this many of the newest messages. An index over the texts of all messages would make every
 * accepted call slower.
 */
const SEARCHED_MESSAGES = 5_000;
/**
 * The maximum number of people whose name or identifier begins with the searched text, and of their newest
 * conversations.
 */
const FOUND_PEOPLE = 200;
const OF_EACH = 20;

/**
 * In the newest conversations, a search matches any part of the name, external ID or key. In the newest messages, a
 * search matches any part of the text. In older conversations, a search matches beginnings of names and identifiers,
 * the whole key, and the whole ID.
 */
async function mentioning(db: Queryable, orgId: string, text: string): Promise<SQL> {
  const pattern = containing(text);
  const { rows: people } = await listEndUsers(db, orgId, { text }, { limit: FOUND_PEOPLE, after: null });
  return sql`SELECT c.id FROM conversation c WHERE c.org_id = ${orgId} AND c.id = ${text}
    UNION SELECT c.id FROM agent a
      CROSS JOIN LATERAL (SELECT k.id FROM conversation k
        WHERE k.org_id = a.org_id AND k.agent_id = a.id AND k.key = ${text} LIMIT 1) c WHERE a.org_id = ${orgId}
    UNION SELECT c.id FROM unnest(${sql.param(people.map(({ id }) => id))}::text[]) AS p(id)
      CROSS JOIN LATERAL (SELECT c.id FROM conversation c WHERE c.end_user_id = p.id AND ${ofOrg(orgId)}
        ORDER BY c.created_at DESC LIMIT ${OF_EACH}) c
    UNION SELECT c.id
      FROM (SELECT id, key, end_user_id FROM conversation WHERE org_id = ${orgId} ORDER BY id DESC LIMIT ${EXAMINED}) c
      CROSS JOIN LATERAL (SELECT name, external_id FROM end_user
        WHERE org_id = ${orgId} AND id = c.end_user_id LIMIT 1) e
      WHERE e.name ILIKE ${pattern} OR e.external_id ILIKE ${pattern} OR c.key ILIKE ${pattern}
    UNION SELECT m.conversation_id
      FROM (SELECT conversation_id, content ->> 'text' AS text FROM message
        WHERE org_id = ${orgId} ORDER BY id DESC LIMIT ${SEARCHED_MESSAGES}) m
      WHERE m.text ILIKE ${pattern}`;
}
