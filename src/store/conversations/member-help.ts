import { and, eq, sql } from 'drizzle-orm';
import type { MemberHelp } from '../../../contract/dashboard/member-help.ts';
import type { Queryable } from '../db.ts';
import { conversationSummary, memberHelp } from '../schema/member-help.ts';
import { storableText } from '../../kernel/storable.ts';

export async function readMemberHelp(db: Queryable, orgId: string): Promise<MemberHelp> {
  const [row] = await db.select().from(memberHelp).where(eq(memberHelp.orgId, orgId));
  return { summary: row?.summary ?? false, draft: row?.draft ?? false, translation: row?.translation ?? false };
}

export async function writeMemberHelp(tx: Queryable, orgId: string, help: MemberHelp): Promise<void> {
  await tx
    .insert(memberHelp)
    .values({ orgId, ...help })
    .onConflictDoUpdate({ target: memberHelp.orgId, set: help });
}

export type SummaryRow = typeof conversationSummary.$inferSelect;

/**
 * Returns the summary of the hand-off at this time. Null: the hand-off has no summary, although an earlier hand-off may
 * have one.
 */
export async function readSummary(db: Queryable, orgId: string, id: string, at: Date): Promise<SummaryRow | null> {
  const [row] = await db
    .select()
    .from(conversationSummary)
    .where(
      and(
        eq(conversationSummary.orgId, orgId),
        eq(conversationSummary.conversationId, id),
        eq(conversationSummary.handedOffAt, at),
      ),
    );
  return row ?? null;
}

/**
 * If two members request the summary at the same time, the last write stays. Nothing is written for an erased
 * conversation.
 */
export async function writeSummary(
  db: Queryable,
  { orgId, conversationId, text, model, handedOffAt }: Omit<SummaryRow, 'createdAt'>,
): Promise<void> {
  await db.execute(sql`INSERT INTO conversation_summary (org_id, conversation_id, text, model, handed_off_at)
    SELECT org_id, id, ${storableText(text)}, ${model}, ${handedOffAt} FROM conversation
    WHERE org_id = ${orgId} AND id = ${conversationId} FOR KEY SHARE
    ON CONFLICT (org_id, conversation_id) DO UPDATE SET text = excluded.text, model = excluded.model,
      handed_off_at = excluded.handed_off_at, created_at = now()`);
}
