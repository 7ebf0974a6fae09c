import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { conversationNote } from '../schema/conversation.ts';

export type ChangeRow = {
  id: string;
  actor: string;
  action: string;
  facts: Record<string, unknown>;
  /** The stored names of the tags (`insertTagNames`). */
  tags: string | null;
  created_at: Date | string;
};

/**
 * The actions of members and rules in a conversation, newest first. PostgreSQL uses the index only if the query repeats
 * the index's condition exactly.
 */
export async function listChanges(
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
): Promise<ChangeRow[]> {
  const { rows } = await db.execute<ChangeRow>(sql`SELECT a.id, a.actor, a.action, a.facts, a.created_at,
      (SELECT n.text FROM conversation_note n
        WHERE n.org_id = ${orgId} AND n.conversation_id = ${conversationId} AND n.id = a.id) AS tags
    FROM audit a
    WHERE a.subject_id = ${conversationId} AND ${sql.raw(checkedOnly('a.org_id'))} = ${orgId}
      AND a.action LIKE 'conversation.%'
    ORDER BY a.id DESC LIMIT ${limit}`);
  return rows;
}

export type TagNames = { added: readonly string[]; removed: readonly string[] };

/**
 * A tag may contain personal data. Entries of the audit log are never erased, so the names are stored with the notes,
 * under the ID of the entry. Notes are erased with the conversation.
 */
export async function insertTagNames(
  tx: Queryable,
  change: { orgId: string; conversationId: string; id: string; authorId: string },
  names: TagNames,
): Promise<void> {
  await tx.insert(conversationNote).values({ ...change, text: JSON.stringify(names) });
}
