import { sql } from 'drizzle-orm';
import { MAX_TAGS } from '../../../contract/end-users.ts';
import type { Queryable } from '../db.ts';
import { CHANGE_TIME } from './write-batch.ts';

type Tagging = { ids: readonly string[]; action: 'add' | 'remove'; tag: string };

/**
 * People who already have the tag, or who do not have it when it is removed, do not change. All calls lock the rows in
 * one order, so that two calls never wait for each other.
 */
export async function tagPeople(
  tx: Queryable,
  orgId: string,
  { ids, action, tag }: Tagging,
): Promise<{ changed: number; full: number }> {
  const adds = action === 'add';
  const { rows } = await tx.execute<{ id: string; is_full: boolean }>(sql`
    SELECT id, cardinality(tags) >= ${MAX_TAGS} AS is_full FROM end_user
    WHERE org_id = ${orgId} AND id = ANY(${sql.param(ids)}::text[]) AND (tags @> ARRAY[${tag}]::text[]) <> ${adds}
    ORDER BY id FOR NO KEY UPDATE`);
  const free = adds ? rows.filter((row) => !row.is_full) : rows;
  const tags = adds ? sql`tags || ${tag}::text` : sql`array_remove(tags, ${tag}::text)`;
  await tx.execute(sql`UPDATE end_user SET tags = ${tags}, updated_at = ${sql.raw(CHANGE_TIME)}
    WHERE org_id = ${orgId} AND id = ANY(${sql.param(free.map(({ id }) => id))}::text[])`);
  return { changed: free.length, full: rows.length - free.length };
}
