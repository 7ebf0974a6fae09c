import { and, asc, desc, eq, gt, gte, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { channel } from '../schema/channel.ts';
import { conversation, message } from '../schema/conversation.ts';
import { endUser } from '../schema/end-user.ts';
import { run } from '../schema/run.ts';
import { SURVEY_RATING } from '../ratings/columns.ts';
import type { MessageRow } from '../runs/read.ts';

const columns = {
  id: conversation.id,
  agentId: conversation.agentId,
  channelId: conversation.channelId,
  channelKind: channel.kind,
  endUser: { id: endUser.id, name: endUser.name, externalId: endUser.externalId },
  key: conversation.key,
  status: sql<'open' | 'handed_off' | 'resolved'>`${conversation.status}`,
  locale: conversation.locale,
  tags: conversation.tags,
  assigneeId: conversation.assigneeId,
  snoozedUntil: sql`CASE WHEN ${conversation.snoozedUntil} > now() THEN ${conversation.snoozedUntil} END`
    .mapWith(conversation.snoozedUntil)
    .as('snoozed_until'),
  runId: conversation.runId,
  handedOffAt: conversation.handedOffAt,
  handOffReason: conversation.handOffReason,
  rating: SURVEY_RATING.as('rating'),
  createdAt: conversation.createdAt,
  updatedAt: conversation.updatedAt,
};

/** `position` is the place of a conversation in the order of a list. */
export const selectConversations = (db: Queryable, position: SQL<string> = sql`''`) =>
  db
    .select({ ...columns, position: position.as('position') })
    .from(conversation)
    .innerJoin(channel, and(eq(channel.orgId, conversation.orgId), eq(channel.id, conversation.channelId)))
    .innerJoin(endUser, and(eq(endUser.orgId, conversation.orgId), eq(endUser.id, conversation.endUserId)));

export type ConversationRow = Omit<Awaited<ReturnType<typeof selectConversations>>[number], 'position'>;

export async function findConversation(db: Queryable, orgId: string, id: string): Promise<ConversationRow | null> {
  const [row] = await selectConversations(db).where(and(eq(conversation.orgId, orgId), eq(conversation.id, id)));
  return row ?? null;
}

/** The time of the person's last message from the address of the conversation. */
export async function readLastInbound(db: Queryable, orgId: string, id: string): Promise<Date | null> {
  const { rows } = await db.execute<{ at: string | null }>(sql`SELECT (SELECT i.last_inbound_at FROM identity i
      WHERE i.org_id = c.org_id AND i.channel_id = c.channel_id AND i.end_user_id = c.end_user_id
        AND i.address = coalesce(c.address, i.address)
      ORDER BY i.last_inbound_at DESC NULLS LAST LIMIT 1) AS at
    FROM conversation c WHERE c.org_id = ${orgId} AND c.id = ${id}`);
  const at = rows[0]?.at ?? null;
  return at === null ? null : new Date(at);
}

/** True if another member has replied after a given message. */
export async function hasReplyOfOthers(
  db: Queryable,
  orgId: string,
  conversationId: string,
  messageId: string,
  userId: string,
): Promise<boolean> {
  const [row] = await db
    .select({ id: message.id })
    .from(message)
    .where(
      and(
        eq(message.orgId, orgId),
        eq(message.conversationId, conversationId),
        eq(message.role, 'member'),
        ne(message.authorId, userId),
        sql`${message.createdAt} > (SELECT r.created_at FROM message r WHERE r.org_id = ${orgId} AND r.id = ${messageId})`,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** The newest messages, oldest first. With `before`, the newest before this message. With `from`, none before it. */
export async function listNewestMessages(
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
  { before, from }: { before?: string | undefined; from?: string | undefined } = {},
): Promise<MessageRow[]> {
  const rows = await db
    .select()
    .from(message)
    .where(
      and(
        eq(message.orgId, orgId),
        eq(message.conversationId, conversationId),
        before === undefined ? undefined : lt(message.id, before),
        from === undefined ? undefined : gte(message.id, from),
      ),
    )
    .orderBy(desc(message.id))
    .limit(limit);
  return rows.toReversed();
}

/** The agent's messages after a given message, oldest first. */
export async function listAnswersAfter(
  db: Queryable,
  orgId: string,
  conversationId: string,
  messageId: string,
  limit: number,
): Promise<MessageRow[]> {
  return db
    .select()
    .from(message)
    .where(
      and(
        eq(message.orgId, orgId),
        eq(message.conversationId, conversationId),
        eq(message.role, 'agent'),
        gt(message.id, messageId),
      ),
    )
    .orderBy(asc(message.id))
    .limit(limit);
}

type ConversationRun = Pick<
  typeof run.$inferSelect,
  'id' | 'triggerId' | 'status' | 'reason' | 'error' | 'turns' | 'agentVersion' | 'result' | 'input' | 'createdAt'
>;

export async function listConversationRuns(
  db: Queryable,
  orgId: string,
  conversationId: string,
  limit: number,
): Promise<ConversationRun[]> {
  return db
    .select({
      id: run.id,
      triggerId: run.triggerId,
      status: run.status,
      reason: run.reason,
      error: run.error,
      turns: run.turns,
      agentVersion: run.agentVersion,
      result: run.result,
      input: run.input,
      createdAt: run.createdAt,
    })
    .from(run)
    .where(and(eq(run.orgId, orgId), eq(run.conversationId, conversationId)))
    .orderBy(desc(run.id))
    .limit(limit);
}

/** The reason why a person cannot get messages, and the stored person. Null if the record does not exist. */
export async function readConversationPerson(
  db: Queryable,
  orgId: string,
  endUserId: string,
  channelKind: string,
): Promise<{
  blocked: boolean;
  optedOut: boolean;
  person: { id: string; name: string | null; locale: string | null; attributes: Record<string, unknown> };
} | null> {
  const [row] = await db
    .select({
      id: endUser.id,
      name: endUser.name,
      locale: endUser.locale,
      attributes: endUser.attributes,
      blocked: endUser.blocked,
      optedOut: sql<boolean>`coalesce(${endUser.consent} -> ${channelKind}::text ->> 'status', '') = 'opted_out'`,
    })
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, endUserId)));
  if (!row) return null;
  const { blocked, optedOut, ...person } = row;
  return { blocked, optedOut, person };
}
