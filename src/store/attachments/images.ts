import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';

export type ImageRow = { messageId: string; id: string; type: string; size: number; hash: string };

/** The types that the models of all providers accept. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/**
 * The stored images of messages, by the address in their content. The file must belong to the message, or come from the
 * same message of the provider, so that invented addresses find nothing.
 */
export async function findImages(pool: pg.Pool, orgId: string, messageIds: readonly string[]): Promise<ImageRow[]> {
  const { rows } = await pool.query<ImageRow>({
    name: 'find-images',
    text: `SELECT m.id AS "messageId", a.id, a.type, a.size, a.hash FROM unnest($2::text[]) AS wanted(id)
      JOIN message m ON m.org_id = $1 AND m.id = wanted.id
      JOIN attachment a ON a.org_id = m.org_id
        AND a.id = substring(m.content ->> 'url' FROM '/attachments/[^/]+/([^/]+)/')
        AND (a.message_id = m.id OR a.provider_message_id = m.provider_message_id)
      WHERE m.role = 'end_user' AND a.source IS NULL AND a.size > 0 AND a.type = ANY ($3::text[])`,
    values: [orgId, messageIds, TYPES],
  });
  return rows;
}

/** True if a model answers for the agent and receives images. */
export async function readReadsImages(db: Queryable, orgId: string, agentId: string): Promise<boolean> {
  const { rows } = await db.execute<{
    on: boolean;
  }>(sql`SELECT coalesce(published ->> 'provider', 'embedded') <> 'embedded'
    AND coalesce((published ->> 'read_images')::boolean, true) AS "on"
    FROM agent WHERE org_id = ${orgId} AND id = ${agentId}`);
  return rows[0]?.on ?? false;
}
