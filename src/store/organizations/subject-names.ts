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
  ['document_source', 'url'],
  ['end_user_import', 'name'],
  ['webhook_endpoint', 'url'],
  ['tool_secret', 'tool'],
  ['event', 'type'],
  ['api_key', 'label'],
  ['access_token', 'label'],
] as const;

const NAME_OF_PERSON = sql`coalesce(e.name, e.external_id, e.email, e.phone)`;

/** A budget is shown with the name of the record that it limits. */
const OF_BUDGET = sql`CASE b.subject
  WHEN 'organization' THEN (SELECT name FROM organization o WHERE o.id = b.org_id)
  WHEN 'agent' THEN (SELECT name FROM agent a WHERE a.org_id = b.org_id AND a.id = b.subject_id)
  WHEN 'campaign' THEN (SELECT name FROM campaign p WHERE p.org_id = b.org_id AND p.id = b.subject_id)
  WHEN 'key' THEN (SELECT label FROM api_key k WHERE k.org_id = b.org_id AND k.id = b.subject_id) END`;

/** The current names of records, by their ID. A conversation is shown with the name of its end user. */
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
    UNION ALL SELECT e.id, ${NAME_OF_PERSON} FROM end_user e WHERE e.org_id = ${orgId} AND e.id = ${wanted}
    UNION ALL SELECT i.id, i.email FROM invitation i WHERE i.organization_id = ${orgId} AND i.id = ${wanted}
    UNION ALL SELECT b.id, coalesce(${OF_BUDGET}, b.subject) FROM budget b WHERE b.org_id = ${orgId} AND b.id = ${wanted}
    UNION ALL SELECT c.id, ${NAME_OF_PERSON} FROM conversation c JOIN end_user e ON e.org_id = c.org_id AND e.id = c.end_user_id
      WHERE c.org_id = ${orgId} AND c.id = ${wanted}
    UNION ALL SELECT id, name FROM organization WHERE id = ${orgId} AND id = ${wanted}`);
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
