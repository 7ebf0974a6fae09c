import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { RunInput } from '../../../contract/triggers.ts';
import type { Queryable } from '../db.ts';
import type { ClaimedRun } from '../runs/claim.ts';
import type { MessageRow } from '../runs/read.ts';
import { conversation, message } from '../schema/conversation.ts';
import { endUser } from '../schema/end-user.ts';
import { run } from '../schema/run.ts';

export type RecordedRun = { id: string; triggerId: string | null; input: RunInput };
export type RecordedPerson = Omit<ClaimedRun['end_user'], 'consent' | 'blocked'>;

/** The full record of a conversation, from its beginning. */
export type RecordedConversation = {
  id: string;
  locale: string | null;
  /**
   * True: the conversation is open and no message waits for a turn, so the agent does not answer the last message
   * later.
   */
  isSettled: boolean;
  person: RecordedPerson;
  /** The oldest messages, oldest first. */
  messages: MessageRow[];
  hasMore: boolean;
  runs: RecordedRun[];
};

/** Null if the agent does not have the conversation. */
export async function readRecordedConversation(
  db: Queryable,
  orgId: string,
  agentId: string,
  id: string,
  limit: number,
): Promise<RecordedConversation | null> {
  const [row] = await db
    .select({
      locale: conversation.locale,
      isSettled: sql<boolean>`${conversation.status} = 'open' AND cardinality(${conversation.unanswered}) = 0`,
      person: {
        id: endUser.id,
        external_id: endUser.externalId,
        name: endUser.name,
        email: endUser.email,
        phone: endUser.phone,
        locale: endUser.locale,
        time_zone: endUser.timeZone,
        attributes: endUser.attributes,
      },
    })
    .from(conversation)
    .innerJoin(endUser, and(eq(endUser.orgId, conversation.orgId), eq(endUser.id, conversation.endUserId)))
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id), eq(conversation.agentId, agentId)));
  if (!row) return null;
  const messages = await db
    .select()
    .from(message)
    .where(and(eq(message.orgId, orgId), eq(message.conversationId, id)))
    .orderBy(asc(message.id))
    .limit(limit + 1);
  const shown = messages.slice(0, limit);
  const ids = [...new Set(shown.flatMap(({ runId }) => runId ?? []))];
  const runs = await db
    .select({ id: run.id, triggerId: run.triggerId, input: run.input })
    .from(run)
    .where(and(eq(run.orgId, orgId), inArray(run.id, ids)));
  return { id, ...row, messages: shown, hasMore: messages.length > limit, runs };
}
