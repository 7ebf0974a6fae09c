import { and, asc, count, eq, getTableColumns, like, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { conversationMention, conversationNote } from '../schema/conversation.ts';

export type NoteRow = typeof conversationNote.$inferSelect;
export type NoteWithMentions = NoteRow & { mentions: string[] };

/** Other rows of the table have the names of changed tags (changes.ts). */
const of = (orgId: string, conversationId: string) =>
  and(
    eq(conversationNote.orgId, orgId),
    eq(conversationNote.conversationId, conversationId),
    like(conversationNote.id, 'note%'),
  );

/** The notes, oldest first. */
export async function listNotes(db: Queryable, orgId: string, conversationId: string): Promise<NoteWithMentions[]> {
  const mentions = sql<string[]>`ARRAY(SELECT m.user_id FROM conversation_mention m WHERE m.org_id = ${orgId}
    AND m.conversation_id = ${conversationId} AND m.note_id = ${conversationNote.id} ORDER BY m.user_id)`;
  return db
    .select({ ...getTableColumns(conversationNote), mentions })
    .from(conversationNote)
    .where(of(orgId, conversationId))
    .orderBy(asc(conversationNote.id));
}

export async function insertMentions(
  tx: Queryable,
  { orgId, conversationId, id }: Pick<NoteRow, 'orgId' | 'conversationId' | 'id'>,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  await tx.insert(conversationMention).values(userIds.map((userId) => ({ orgId, conversationId, noteId: id, userId })));
}

export async function forgetMentionsOf(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db
    .delete(conversationMention)
    .where(and(eq(conversationMention.orgId, orgId), eq(conversationMention.userId, userId)));
}

export async function countNotes(tx: Queryable, orgId: string, conversationId: string): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(conversationNote).where(of(orgId, conversationId));
  return row!.n;
}

export async function insertNote(
  tx: Queryable,
  note: Pick<NoteRow, 'orgId' | 'id' | 'conversationId' | 'authorId' | 'text'>,
): Promise<NoteRow> {
  const [row] = await tx.insert(conversationNote).values(note).returning();
  return row!;
}

/** Returns false if this author has no note with this ID. */
export async function deleteNoteOf(
  tx: Queryable,
  { orgId, conversationId, id, authorId }: Pick<NoteRow, 'orgId' | 'conversationId' | 'id' | 'authorId'>,
): Promise<boolean> {
  const { rowCount } = await tx
    .delete(conversationNote)
    .where(and(of(orgId, conversationId), eq(conversationNote.id, id), eq(conversationNote.authorId, authorId)));
  return rowCount === 1;
}
