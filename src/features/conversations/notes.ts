import type { ConversationNote } from '../../../contract/dashboard/conversations.ts';
import { MAX_NOTES } from '../../../contract/limits.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import {
  countNotes,
  deleteNoteOf,
  insertMentions,
  insertNote,
  type NoteWithMentions,
} from '../../store/conversations/notes.ts';
import { lockConversation } from '../../store/conversations/write.ts';
import type { Db } from '../../store/db.ts';
import { lockMembers, readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';

/**
 * Adds a note for the other members. A note is not a message, so it does not take the conversation over, and the list
 * keeps its order.
 */
export async function addNote(
  { db }: { db: Db },
  orgId: string,
  conversationId: string,
  { text, mentions = [] }: { text: string; mentions?: readonly string[] },
  actor: Actor,
): Promise<ConversationNote> {
  const row = await db.transaction(async (tx) => {
    // A removal of a member, which also deletes the member's mentions, does not run at the same time.
    if (mentions.length > 0) await lockMembers(tx, orgId);
    // The lock of the conversation also makes the count of notes exact.
    if (!(await lockConversation(tx, orgId, conversationId))) throw new Refusal('conversation_not_found');
    if ((await countNotes(tx, orgId, conversationId)) >= MAX_NOTES) throw new Refusal('note_limit_reached');
    for (const userId of mentions) if ((await readRole(tx, orgId, userId)) === null) throw noMember();
    const note = await insertNote(tx, { orgId, id: newId('note'), conversationId, authorId: actor.userId, text });
    await insertMentions(tx, note, mentions);
    return { ...note, mentions: [...mentions] };
  });
  return presentNote(row);
}

/** Only the author can delete a note, because for other members it is part of the history. */
export async function deleteNote(
  { db }: { db: Db },
  orgId: string,
  conversationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    const isDeleted = await deleteNoteOf(tx, { orgId, conversationId, id, authorId: actor.userId });
    if (!isDeleted) throw new Refusal('note_not_found');
    await recordAudit(tx, { orgId, actor, action: 'conversation.note_deleted', subjectId: conversationId });
  });
}

const noMember = (): Refusal =>
  invalidAt('/mentions', 'not_allowed', 'Only members of the organization can be mentioned.');

export const presentNote = (row: NoteWithMentions): ConversationNote => ({
  id: row.id,
  author_id: row.authorId,
  text: row.text,
  mentions: row.mentions,
  created_at: timestamp(row.createdAt),
});
