import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

/** The kinds of record to which audit entries refer, with the column of their name. */
const NAMED = [
  ['agent', 'name'],
  ['trigger', 'name'],
  ['channel', 'name'],
  ['campaign', 'name'],
  ['document', 'name'],
  ['segment', 'name'],
  ['saved_reply', 'name'],
  ['conversation_view', 'name'],
  ['end_user', 'name'],
  ['api_key', 'label'],
  ['access_token', 'label'],
] as const;

/** The current names of records, by their ID. A conversation is shown with the name of its person. */
export async function namesOfSubjects(
  db: Queryable,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const wanted = sql`ANY (${sql.param([...new Set(ids)])}::text[])`;
  const ofTables = NAMED.map(
    ([table, column]) =>
      sql`SELECT id, ${sql.identifier(column)} AS name FROM ${sql.identifier(table)} WHERE org_id = ${orgId} AND id = ${wanted}`,
  );
  const { rows } = await db.execute<{ id: string; name: string | null }>(sql`${sql.join(ofTables, sql` UNION ALL `)}
    UNION ALL SELECT c.id, e.name FROM conversation c JOIN end_user e ON e.org_id = c.org_id AND e.id = c.end_user_id
      WHERE c.org_id = ${orgId} AND c.id = ${wanted}
    UNION ALL SELECT id, name FROM organization WHERE id = ${orgId} AND id = ${wanted}`);
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
