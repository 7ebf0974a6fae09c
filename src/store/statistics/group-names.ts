import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

const NAMES = {
  agent: sql.raw('agent t WHERE t.org_id ='),
  channel: sql.raw('channel t WHERE t.org_id ='),
  // The query finds the names of current members only.
  member: sql.raw('"user" t JOIN member m ON m.user_id = t.id WHERE m.organization_id ='),
} as const;

/** Returns the names of the records with the given IDs. */
export async function readGroupNames(
  db: Queryable,
  orgId: string,
  kind: keyof typeof NAMES,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.execute<{ id: string; name: string }>(
    sql`SELECT t.id, t.name FROM ${NAMES[kind]} ${orgId} AND t.id = ANY (${sql.param([...ids])}::text[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
