import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import type { EndUserRow } from './end-users.ts';
import { pageOf, type PageOf, type PageRequest } from './page.ts';
import { endUser } from './schema/end-user.ts';

/**
 * Finding people. Every condition has an index that begins with the organization or holds it (schema/end-user.ts), so
 * a page costs the same among a thousand people and among a million. Newest first by id: ids hold the time of
 * creation, and the primary key is then the index of the list.
 */
export type EndUserFilter = {
  externalId?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  tags?: readonly string[] | undefined;
  attributes?: Readonly<Record<string, unknown>> | undefined;
  blocked?: boolean | undefined;
  updatedAfter?: Date | undefined;
  /** Beginnings of words of the name, or the beginning of an identifier. */
  text?: string | undefined;
};

export async function listEndUsers(
  db: Queryable,
  orgId: string,
  filter: EndUserFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<EndUserRow>> {
  const where = and(
    eq(endUser.orgId, orgId),
    filter.externalId === undefined ? undefined : eq(endUser.externalId, filter.externalId),
    filter.email === undefined ? undefined : eq(endUser.email, filter.email.toLowerCase()),
    filter.phone === undefined ? undefined : eq(endUser.phone, filter.phone),
    filter.blocked === undefined ? undefined : eq(endUser.blocked, filter.blocked),
    filter.tags?.length ? searched(orgId, sql`${endUser.tags} @> ${sql.param(filter.tags)}::text[]`) : undefined,
    filter.attributes && Object.keys(filter.attributes).length > 0
      ? searched(orgId, sql`${endUser.attributes} @> ${JSON.stringify(filter.attributes)}::jsonb`)
      : undefined,
    filter.text === undefined ? undefined : mentions(orgId, filter.text),
    after ? lt(endUser.id, after.id) : undefined,
  );
  const rows =
    filter.updatedAfter === undefined
      ? await db
          .select()
          .from(endUser)
          .where(where)
          .orderBy(sql`${endUser.id} DESC`)
          .limit(limit + 1)
      : await changedSince(db, filter.updatedAfter, where, limit + 1);
  return pageOf(rows, limit);
}

/** The predicate and first column of the index `end_user_search`, in the words of that index. */
const searched = (orgId: string, condition: SQL): SQL =>
  sql`(ARRAY[org_id] @> ARRAY[${orgId}::text] AND (name IS NOT NULL OR tags <> '{}' OR attributes <> '{}') AND ${condition})`;

const begins = (value: string): string => `${value.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

function mentions(orgId: string, text: string): SQL {
  const compact = text.replaceAll(/[\s().-]/g, '');
  const phone = /^\+?\d{3,15}$/.test(compact) ? begins(compact.startsWith('+') ? compact : `+${compact}`) : null;
  const words = text
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => `${word}:*`);
  const arms = [
    sql`${endUser.externalId} LIKE ${begins(text)}`,
    sql`${endUser.email} LIKE ${begins(text.toLowerCase())}`,
    ...(phone === null ? [] : [sql`${endUser.phone} LIKE ${phone}`]),
    ...(words.length === 0
      ? []
      : [
          sql`(ARRAY[org_id] @> ARRAY[${orgId}::text] AND name IS NOT NULL
            AND to_tsvector('simple', name) @@ to_tsquery('simple', ${words.join(' & ')}))`,
        ]),
  ];
  return sql`(${sql.join(arms, sql` OR `)})`;
}

/** Clocks of servers differ a little, and an id is made a moment before its row. */
const SKEW_MS = 60_000;

/**
 * Two lists become one: people made since then, found by their ids, and older ones that changed since, found by
 * `end_user_changed`. So an index on the time of change need not hold the many who never change.
 */
async function changedSince(db: Queryable, since: Date, where: SQL | undefined, limit: number): Promise<EndUserRow[]> {
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

/** The least id of a person made at this moment: the first ten characters of an id are its milliseconds. */
function firstIdAt(at: number): string {
  let time = '';
  for (let rest = Math.max(0, at); time.length < TIME_CHARACTERS; rest = Math.floor(rest / 32))
    time = ALPHABET[rest % 32]! + time;
  return `enduser_${time}${'0'.repeat(ID_CHARACTERS - TIME_CHARACTERS)}`;
}

/** Names of attributes that people of this organization have; one pass over all who have any. */
export async function listAttributeNames(db: Queryable, orgId: string, limit: number): Promise<string[]> {
  const found = await db.execute<{ name: string }>(sql`SELECT DISTINCT k AS name
    FROM end_user e, jsonb_object_keys(e.attributes) k
    WHERE e.org_id = ${orgId} AND e.attributes <> '{}' ORDER BY 1 LIMIT ${limit}`);
  return found.rows.map(({ name }) => name);
}
