import { and, eq, sql } from 'drizzle-orm';
import type { Plan } from '../../../contract/permissions.ts';
import type { Db, Queryable } from '../db.ts';
import { attachment } from '../schema/attachment.ts';
import { transcribes } from './transcripts.ts';

export type NewAttachment = Pick<
  typeof attachment.$inferInsert,
  'id' | 'token' | 'name' | 'type' | 'size' | 'hash' | 'bytes' | 'messageId' | 'providerMessageId'
>;

export type Attachment = { name: string; type: string; size: number; hash: string };

/**
 * The time for which a file without a message is stored. Normally the message is stored within seconds after its file.
 */
const LOOSE_HOURS = 1;

/** The usage to compare with the limits of the organization's plan. Null if the organization does not exist. */
export async function readAttachmentUse(db: Queryable, orgId: string): Promise<{ plan: Plan; bytes: number } | null> {
  const { rows } = await db.execute<{ plan: Plan; bytes: number }>(sql`
    SELECT o.plan, (SELECT coalesce(sum(a.size), 0)::float8 FROM attachment a WHERE a.org_id = o.id) AS bytes
    FROM organization o WHERE o.id = ${orgId}`);
  return rows[0] ?? null;
}

export async function insertAttachment(tx: Queryable, orgId: string, row: NewAttachment): Promise<void> {
  await tx.insert(attachment).values({ orgId, ...row });
}

/**
 * Attaches a visitor's file to the message that refers to the file, if the message is stored by now. Once the file is
 * attached, audio is transcribed.
 */
export async function tieAttachment(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.execute(sql`UPDATE attachment a SET message_id = m.id,
      due_at = CASE WHEN a.type LIKE 'audio/%' AND ${transcribes(sql`a.org_id`)} THEN (SELECT now()) END
    FROM message m WHERE a.org_id = ${orgId} AND a.id = ${id} AND a.message_id IS NULL
      AND m.org_id = a.org_id AND m.provider_message_id = a.provider_message_id
      AND strpos(m.content ->> 'url', a.id) > 0`);
}

/**
 * A process may die after it stored a message and before it attached the file. Attaches a file without a message to its
 * message, or deletes the file if the message never came.
 */
export async function forgetLooseAttachments(pool: Db['$client'], limit: number): Promise<number> {
  const updated = await pool.query(
    `WITH loose AS MATERIALIZED (
      SELECT org_id, id FROM attachment
      WHERE message_id IS NULL AND created_at < now() - interval '${LOOSE_HOURS} hours' ORDER BY created_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    ), named AS MATERIALIZED (
      SELECT a.org_id, a.id, m.id AS message_id FROM loose l
      JOIN attachment a ON a.org_id = l.org_id AND a.id = l.id
      JOIN message m ON m.org_id = a.org_id AND m.provider_message_id = a.provider_message_id
        AND strpos(m.content ->> 'url', a.id) > 0
    ), tied AS (
      UPDATE attachment a SET message_id = n.message_id FROM named n WHERE a.org_id = n.org_id AND a.id = n.id
    )
    DELETE FROM attachment a USING loose l WHERE a.org_id = l.org_id AND a.id = l.id
      AND NOT EXISTS (SELECT 1 FROM named n WHERE n.org_id = a.org_id AND n.id = a.id)`,
    [limit],
  );
  return updated.rowCount ?? 0;
}

/** Finds the file at an address. A wrong token has the same result as a wrong ID: nothing is found. */
export async function findAttachment(
  db: Db,
  orgId: string,
  { id, token }: { id: string; token: string },
): Promise<Attachment | null> {
  const [row] = await db
    .select({ name: attachment.name, type: attachment.type, size: attachment.size, hash: attachment.hash })
    .from(attachment)
    .where(
      and(
        eq(attachment.orgId, orgId),
        eq(attachment.id, id),
        eq(attachment.token, token),
        sql`(${attachment.bytes} IS NOT NULL OR ${attachment.place} = 'store')`,
      ),
    );
  return row ?? null;
}

/** Reads at most `most` bytes of a file in one call. `stored`: the bytes are in the object store, under this hash. */
export async function readAttachmentPart(
  pool: Db['$client'],
  orgId: string,
  id: string,
  { from, most }: { from: number; most: number },
): Promise<Buffer | { stored: string } | null> {
  const found = await pool.query<{ part: Buffer | null; stored: string | null }>({
    name: 'read-attachment-part',
    text: `SELECT substring(bytes FROM $3 FOR $4) AS part, CASE WHEN place = 'store' THEN hash END AS stored
      FROM attachment WHERE org_id = $1 AND id = $2`,
    values: [orgId, id, from + 1, most],
  });
  const [row] = found.rows;
  return row?.part ?? (row?.stored ? { stored: row.stored } : null);
}
