import { and, asc, count, eq, sql } from 'drizzle-orm';
import { SAVED_REPLY_PREVIEW } from '../../contract/dashboard/saved-replies.ts';
import type { Queryable } from './db.ts';
import { savedReply } from './schema/saved-reply.ts';

export type SavedReplyRow = typeof savedReply.$inferSelect;
export type ListedReplyRow = Omit<SavedReplyRow, 'text' | 'orgId'> & { languages: string[]; preview: string };

const one = (orgId: string, id: string) => and(eq(savedReply.orgId, orgId), eq(savedReply.id, id));

/**
 * Returns all saved replies, because an organization has at most MAX_SAVED_REPLIES. The texts of saved replies may have
 * megabytes in total, so the list has only the beginning of each text.
 */
export const listSavedReplies = async (db: Queryable, orgId: string): Promise<ListedReplyRow[]> =>
  db
    .select({
      id: savedReply.id,
      name: savedReply.name,
      shortcut: savedReply.shortcut,
      actions: savedReply.actions,
      createdAt: savedReply.createdAt,
      updatedAt: savedReply.updatedAt,
      languages: sql<string[]>`ARRAY(SELECT jsonb_object_keys(${savedReply.text}))`,
      preview: sql<string>`left(coalesce(${savedReply.text} ->> 'default',
        (SELECT value FROM jsonb_each_text(${savedReply.text}) LIMIT 1)), ${SAVED_REPLY_PREVIEW}::int)`,
    })
    .from(savedReply)
    .where(eq(savedReply.orgId, orgId))
    .orderBy(asc(sql`lower(${savedReply.name})`), asc(savedReply.id));

export async function readSavedReply(db: Queryable, orgId: string, id: string): Promise<SavedReplyRow | null> {
  const [row] = await db.select().from(savedReply).where(one(orgId, id));
  return row ?? null;
}

/** The caller has locked the organization, so that two simultaneous inserts check the limit one after the other. */
export async function countSavedReplies(tx: Queryable, orgId: string): Promise<number> {
  const [row] = await tx.select({ many: count() }).from(savedReply).where(eq(savedReply.orgId, orgId));
  return row!.many;
}

/** True if another saved reply has this shortcut. The caller has locked the organization. */
export async function isShortcutTaken(
  tx: Queryable,
  orgId: string,
  shortcut: string,
  besides: string,
): Promise<boolean> {
  const rows = await tx
    .select({ id: savedReply.id })
    .from(savedReply)
    .where(and(eq(savedReply.orgId, orgId), sql`lower(${savedReply.shortcut}) = lower(${shortcut})`));
  return rows.some(({ id }) => id !== besides);
}

export async function insertSavedReply(
  tx: Queryable,
  orgId: string,
  input: Pick<SavedReplyRow, 'id' | 'name' | 'shortcut' | 'text' | 'actions'>,
): Promise<SavedReplyRow> {
  const [row] = await tx
    .insert(savedReply)
    .values({ orgId, ...input })
    .returning();
  return row!;
}

/** Null if the organization has no saved reply with this ID. */
export async function changeSavedReply(
  tx: Queryable,
  orgId: string,
  id: string,
  changes: Partial<Pick<SavedReplyRow, 'name' | 'shortcut' | 'text' | 'actions'>>,
): Promise<SavedReplyRow | null> {
  const [row] = await tx
    .update(savedReply)
    .set({ ...changes, updatedAt: sql`statement_timestamp()` })
    .where(one(orgId, id))
    .returning();
  return row ?? null;
}

/** Null if the organization has no saved reply with this ID. */
export async function deleteSavedReply(tx: Queryable, orgId: string, id: string): Promise<SavedReplyRow | null> {
  const [row] = await tx.delete(savedReply).where(one(orgId, id)).returning();
  return row ?? null;
}

/** Removes a member who left from saved replies that assign conversations to this member. */
export async function forgetRepliesTo(tx: Queryable, orgId: string, userId: string): Promise<void> {
  await tx.execute(sql`UPDATE saved_reply SET actions = actions - 'assign_to'
    WHERE org_id = ${orgId} AND actions ->> 'assign_to' = ${userId}`);
}
