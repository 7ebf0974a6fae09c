import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { conversation, message } from '../schema/conversation.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import type { MessageRow } from '../runs/read.ts';
import { run } from '../schema/run.ts';

/** Locks the conversation until the transaction ends, to serialize its changes. */
export async function lockConversation(
  tx: Queryable,
  orgId: string,
  id: string,
): Promise<{
  status: 'open' | 'handed_off' | 'resolved';
  assigneeId: string | null;
  runId: string | null;
  version: number;
  firstUnanswered: string | null;
} | null> {
  const [row] = await tx
    .select({
      status: sql<'open' | 'handed_off' | 'resolved'>`${conversation.status}`,
      assigneeId: conversation.assigneeId,
      runId: conversation.runId,
      version: conversation.version,
      firstUnanswered: sql<string | null>`${conversation.unanswered}[1]`,
    })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id)))
    .for('update');
  return row ?? null;
}

export async function updateConversation(
  tx: Queryable,
  orgId: string,
  id: string,
  changes: {
    status?: 'open' | 'handed_off' | 'resolved';
    assigneeId?: string | null;
    forgetUnanswered?: true;
    snoozedUntil?: Date;
  },
): Promise<void> {
  const { forgetUnanswered, ...plain } = changes;
  const isHandedOff = sql`${conversation.status} = 'handed_off'`;
  await tx
    .update(conversation)
    .set({
      ...plain,
      ...(plain.status !== undefined && {
        handedOffAt:
          plain.status === 'handed_off'
            ? sql`CASE WHEN ${isHandedOff} THEN ${conversation.handedOffAt} ELSE (SELECT now()) END`
            : null,
        handOffReason: plain.status === 'handed_off' ? conversation.handOffReason : null,
      }),
      // Any change of the status ends a snooze.
      snoozedUntil: plain.snoozedUntil ?? null,
      ...(forgetUnanswered && { unanswered: [] }),
      // The new version makes a turn in progress outdated.
      version: sql`${conversation.version} + 1`,
      updatedAt: sql`statement_timestamp()`,
    })
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id)));
}

/** Returns false if the conversation does not exist. Tags do not end the snooze of the conversation. */
export async function setTags(tx: Queryable, orgId: string, id: string, tags: readonly string[]): Promise<boolean> {
  const changed = await tx
    .update(conversation)
    .set({ tags: [...tags], version: sql`${conversation.version} + 1`, updatedAt: sql`statement_timestamp()` })
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id)));
  return changed.rowCount === 1;
}

export async function insertMessage(
  tx: Queryable,
  orgId: string,
  row: {
    id: string;
    conversationId: string;
    runId: string | null;
    role: 'agent' | 'end_user' | 'member' | 'system';
    content: MessageContent;
    status?: string | null;
    authorId?: string | null;
    providerMessageId?: string | null;
    metadata?: Readonly<Record<string, string>> | null;
    /** True: the message is due for delivery now. */
    isDue?: boolean;
  },
): Promise<MessageRow> {
  const { isDue = false, ...plain } = row;
  const [made] = await tx
    .insert(message)
    // The time is later than any change for which the transaction waited, because the caller has locked the
    // conversation.
    .values({ orgId, ...plain, createdAt: sql`clock_timestamp()`, dueAt: isDue ? sql`now()` : null })
    .returning();
  return made!;
}

export async function setRunStatus(
  tx: Queryable,
  orgId: string,
  runId: string,
  change: { from: string[]; to: 'handed_off' | 'waiting_for_user' | 'completed'; reason?: string },
): Promise<void> {
  await tx
    .update(run)
    .set({
      status: change.to,
      reason: change.reason ?? null,
      dueAt: null,
      lease: null,
      finishedAt: change.to === 'completed' ? sql`now()` : null,
    })
    .where(and(eq(run.orgId, orgId), eq(run.id, runId), sql`${run.status} = ANY (${sql.param(change.from)}::text[])`));
}

export async function insertConversation(
  tx: Queryable,
  orgId: string,
  row: { id: string; agentId: string; channelId: string; endUserId: string; locale: string | null },
): Promise<void> {
  await tx.insert(conversation).values({ orgId, ...row });
}
