import { and, asc, count, eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { conversationNote } from '../schema/conversation.ts';

export type NoteRow = typeof conversationNote.$inferSelect;

const of = (orgId: string, conversationId: string) =>
  and(eq(conversationNote.orgId, orgId), eq(conversationNote.conversationId, conversationId));

/** Oldest first. */
export async function listNotes(db: Queryable, orgId: string, conversationId: string): Promise<NoteRow[]> {
  return db.select().from(conversationNote).where(of(orgId, conversationId)).orderBy(asc(conversationNote.id));
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

/** False when this author has no such note. */
export async function deleteNoteOf(
  tx: Queryable,
  { orgId, conversationId, id, authorId }: Pick<NoteRow, 'orgId' | 'conversationId' | 'id' | 'authorId'>,
): Promise<boolean> {
  const { rowCount } = await tx
    .delete(conversationNote)
    .where(and(of(orgId, conversationId), eq(conversationNote.id, id), eq(conversationNote.authorId, authorId)));
  return rowCount === 1;
}
