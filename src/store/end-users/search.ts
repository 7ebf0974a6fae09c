import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import type { EndUserRow } from './read.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { endUser } from '../schema/end-user.ts';

/**
 * Searches for people. Every condition has an index (schema/end-user.ts), so a page has the same cost among a thousand
 * people and among a million (bench/sections/end-users.ts). The newest people come first by ID. IDs contain the time of
 * creation, so the primary key is the index of the list.
 */
export type EndUserFilter = {
  externalId?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  tags?: readonly string[] | undefined;
  attributes?: Readonly<Record<string, unknown>> | undefined;
  blocked?: boolean | undefined;
  updatedAfter?: Date | undefined;
  /** The text matches beginnings of words of the name, or the beginning of an identifier. */
  text?: string | undefined;
};

export async function listEndUsers(
  db: Queryable,
  orgId: string,
  filter: EndUserFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<EndUserRow>> {
  const isWide = Boolean(filter.tags?.length || filter.text !== undefined || !isEmpty(filter.attributes));
  const isOne = filter.externalId !== undefined || filter.email !== undefined || filter.phone !== undefined;
  const where = and(
    eq(endUser.orgId, orgId),
    filter.externalId === undefined ? undefined : eq(endUser.externalId, filter.externalId),
    filter.email === undefined ? undefined : eq(endUser.email, filter.email.toLowerCase()),
    filter.phone === undefined ? undefined : eq(endUser.phone, filter.phone),
    filter.blocked === undefined ? undefined : eq(endUser.blocked, filter.blocked),
    filter.tags?.length ? searched(orgId, sql`${endUser.tags} @> ${sql.param(filter.tags)}::text[]`) : undefined,
    isEmpty(filter.attributes)
      ? undefined
      : searched(orgId, sql`${endUser.attributes} @> ${JSON.stringify(filter.attributes)}::jsonb`),
    filter.text === undefined ? undefined : mentions(orgId, filter.text),
    after ? lt(endUser.id, after.id) : undefined,
  )!;
  const rows =
    filter.updatedAfter !== undefined
      ? await changedSince(db, filter.updatedAfter, where, limit + 1)
      : isWide && !isOne
        ? await foundAmong(db, orgId, after?.id, where, limit + 1)
        : await newestOf(db, where, limit + 1);
  return pageOf(rows, limit);
}

const isEmpty = (attributes: object | undefined): boolean => Object.keys(attributes ?? {}).length === 0;

const NEWEST_FIRST = sql`${endUser.id} DESC`;

const newestOf = (db: Queryable, where: SQL, limit: number): Promise<EndUserRow[]> =>
  db.select().from(endUser).where(where).orderBy(NEWEST_FIRST).limit(limit);

/** A search examines this many of the newest people one by one before it uses the search index. */
const PROBE = 1_000;
/**
 * If at least this many of the first people match, reading people one by one costs less than sorting all matches from
 * the index.
 */
const DENSE = 5;
/**
 * A search examines at most this many people one by one. With this number, a page is full if later people match as
 * often as the first people.
 */
const WALK = 20_000;

/**
 * The search index has no order, so it finds all matches. For half a million people whose name begins with A, the
 * search index would read all matches for one page (2 s). A walk along the primary key is cheap if many people match,
 * but reads a million rows if none matches. The database cannot estimate the number of matches (beginnings of words,
 * JSON), so the newest people are examined first. The choice between index and walk does not change the result.
 */
async function foundAmong(
  db: Queryable,
  orgId: string,
  afterId: string | undefined,
  where: SQL,
  limit: number,
): Promise<EndUserRow[]> {
  const ahead = and(eq(endUser.orgId, orgId), afterId === undefined ? undefined : lt(endUser.id, afterId));
  const among = (people: number): Promise<EndUserRow[]> => {
    // The subquery has the name of the table, so that the conditions apply to the subquery. Because the subquery has a
    // limit, PostgreSQL applies the conditions after it.
    const newest = db.select().from(endUser).where(ahead).orderBy(NEWEST_FIRST).limit(people).as('end_user');
    return db.select().from(newest).where(where).orderBy(NEWEST_FIRST).limit(limit);
  };
  const isThereMore = async (people: number): Promise<boolean> =>
    (await db.select({ id: endUser.id }).from(endUser).where(ahead).orderBy(NEWEST_FIRST).offset(people).limit(1))
      .length > 0;
  const first = await among(PROBE);
  if (first.length >= limit || !(await isThereMore(PROBE))) return first;
  if (first.length >= DENSE) {
    const more = await among(WALK);
    if (more.length >= limit || !(await isThereMore(WALK))) return more;
  }
  // No index of the table has the order of the list. With an indexed order, the planner sometimes prefers a walk along
  // the primary key.
  const unordered = sql`(${endUser.id} || '') DESC`;
  return db.select().from(endUser).where(where).orderBy(unordered).limit(limit);
}

/** The predicate and first column of the index `end_user_search`, written exactly as in the index. */
const searched = (orgId: string, condition: SQL): SQL =>
  sql`(ARRAY[org_id] @> ARRAY[${orgId}::text] AND (name IS NOT NULL OR tags <> '{}' OR attributes <> '{}')
    AND ${condition})`;

const begins = (value: string): string => `${value.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

function mentions(orgId: string, text: string): SQL {
  const compact = text.replaceAll(/[\s().-]/g, '').replace(/^00/, '+');
  const phone = /^\+?\d{3,15}$/.test(compact) ? begins(compact.startsWith('+') ? compact : `+${compact}`) : null;
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  const arms = [
    sql`${endUser.externalId} LIKE ${begins(text)}`,
    sql`${endUser.email} LIKE ${begins(text.toLowerCase())}`,
    ...(phone === null ? [] : [sql`${endUser.phone} LIKE ${phone}`]),
    ...(words.length === 0
      ? []
      : [
          sql`(ARRAY[org_id] @> ARRAY[${orgId}::text] AND name IS NOT NULL
            AND to_tsvector('simple', name) @@ (${beginnings(words)} || ${beginnings(text.trim().split(/\s+/))}))`,
        ]),
  ];
  return sql`(${sql.join(arms, sql` OR `)})`;
}

/**
 * Matches names with words that begin with all of the given texts. The search uses the text in two forms: only its
 * letters, and the text as it was written. A word in the database's sense may contain signs (`booking.com`, `a.p.j`),
 * and the database splits a query in the same way as the name.
 */
const beginnings = (words: readonly string[]): SQL =>
  sql`to_tsquery('simple', ${words.map((word) => `'${word.replaceAll(/['\\]/g, '$&$&')}':*`).join(' & ')})`;

/** Clocks of servers differ a little, and an ID is created shortly before its row. */
const SKEW_MS = 60_000;

/**
 * Merges two lists: people created since the given time, found by their IDs, and older people changed since then, found
 * by `end_user_changed`. The index on the time of change does not contain the many people who never change.
 */
async function changedSince(db: Queryable, since: Date, where: SQL, limit: number): Promise<EndUserRow[]> {
  const border = firstIdAt(since.getTime() - SKEW_MS);
  const part = (condition: SQL) =>
    db
      .select()
      .from(endUser)
      .where(and(where, condition, sql`${endUser.updatedAt} > ${since}`))
      .orderBy(sql`${endUser.id} DESC`)
      .limit(limit);
  const made = await part(sql`${endUser.id} >= ${border}`);
  if (made.length >= limit) return made;
  const changed = await part(sql`${endUser.id} < ${border} AND ${endUser.updatedAt} <> ${endUser.createdAt}`);
  return [...made, ...changed].slice(0, limit);
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const ID_CHARACTERS = 26;

/**
 * The smallest possible ID of a person created at this time. The first ten characters of an ID are its milliseconds.
 */
function firstIdAt(at: number): string {
  let time = '';
  for (let rest = Math.max(0, at); time.length < TIME_CHARACTERS; rest = Math.floor(rest / 32))
    time = ALPHABET[rest % 32]! + time;
  return `enduser_${time}${'0'.repeat(ID_CHARACTERS - TIME_CHARACTERS)}`;
}

/** Lists the names of the attributes of this organization's people. The query reads all people with attributes once. */
export async function listAttributeNames(db: Queryable, orgId: string, limit: number): Promise<string[]> {
  const found = await db.execute<{ name: string }>(sql`SELECT DISTINCT k AS name
    FROM end_user e, jsonb_object_keys(e.attributes) k
    WHERE e.org_id = ${orgId} AND e.attributes <> '{}' ORDER BY 1 LIMIT ${limit}`);
  return found.rows.map(({ name }) => name);
}
