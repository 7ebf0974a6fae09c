import { and, asc, eq, gte, inArray, lt, ne, sql } from 'drizzle-orm';
import type { SurveyRating } from '../../../contract/ratings.ts';
import { RUN_STATUSES } from '../../../contract/triggers.ts';
import { foundInReachableCells } from '../cells/by-cell.ts';
import type { Db, Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { RUN_RATING } from '../ratings/columns.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { conversation, message } from '../schema/conversation.ts';
import { run } from '../schema/run.ts';

export type RunRow = Omit<
  typeof run.$inferSelect,
  'resultEventAt' | 'noReplyAt' | 'reminders' | 'codeTurn' | 'rolloutId'
> & {
  agentId: string;
  endUserId: string;
  channelId: string;
  rating: SurveyRating | null;
};
export type MessageRow = typeof message.$inferSelect;

export const RUN_COLUMNS = {
  orgId: run.orgId,
  id: run.id,
  triggerId: run.triggerId,
  conversationId: run.conversationId,
  status: run.status,
  reason: run.reason,
  error: run.error,
  input: run.input,
  turns: run.turns,
  requestId: run.requestId,
  createdAt: run.createdAt,
  sendAt: run.sendAt,
  finishedAt: run.finishedAt,
  dueAt: run.dueAt,
  lease: run.lease,
  attempts: run.attempts,
  agentVersion: run.agentVersion,
  result: run.result,
  agentId: conversation.agentId,
  endUserId: conversation.endUserId,
  channelId: conversation.channelId,
  rating: RUN_RATING,
};

export const WITH_CONVERSATION = and(eq(conversation.orgId, run.orgId), eq(conversation.id, run.conversationId));

/** Maximum number of messages of one run in a response. */
const MAX_RUN_MESSAGES = 200;

/** `clientMark`: finds the run only if client tokens with this mark may read the conversation. */
export async function findRun(
  db: Queryable,
  orgId: string,
  triggerId: string,
  id: string,
  clientMark?: string,
): Promise<RunRow | null> {
  const [row] = await db
    .select(RUN_COLUMNS)
    .from(run)
    .innerJoin(conversation, WITH_CONVERSATION)
    .where(and(eq(run.orgId, orgId), eq(run.triggerId, triggerId), eq(run.id, id), isOpenTo(clientMark)));
  return row ?? null;
}

const isOpenTo = (clientMark: string | undefined) =>
  clientMark === undefined ? undefined : eq(conversation.clientMark, clientMark);

/** True if the conversation has a run of this trigger, and client tokens with this mark may read it. */
export async function isConversationOfTrigger(
  db: Queryable,
  orgId: string,
  meant: { triggerId: string; conversationId: string; clientMark: string | undefined },
): Promise<boolean> {
  const [row] = await db
    .select({ id: run.id })
    .from(run)
    .innerJoin(conversation, WITH_CONVERSATION)
    .where(
      and(
        eq(run.orgId, orgId),
        eq(run.conversationId, meant.conversationId),
        eq(run.triggerId, meant.triggerId),
        isOpenTo(meant.clientMark),
      ),
    )
    .limit(1);
  return row !== undefined;
}

export type RunFilter = {
  triggerId: string;
  status?: string | undefined;
  /** Selects runs that were created at `createdAfter` or later, and before `createdBefore`. */
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
};

export async function listRunRows(
  db: Queryable,
  orgId: string,
  filter: RunFilter,
  page: PageRequest,
): Promise<PageOf<RunRow>> {
  const statuses = sql.param(filter.status ? [filter.status] : [...RUN_STATUSES]);
  const created = and(
    filter.createdAfter && gte(run.createdAt, filter.createdAfter),
    filter.createdBefore && lt(run.createdAt, filter.createdBefore),
  );
  // The page of each status is read from the index `run_list`, because any status may be rare.
  const newest = sql`SELECT r.id FROM unnest(${statuses}::text[]) AS s(status)
    CROSS JOIN LATERAL (SELECT run.id, run.created_at FROM run
      WHERE ${and(eq(run.triggerId, filter.triggerId), sql`run.status = s.status`, created, behind(run.createdAt, run.id, page.after))}
        AND ${sql.raw(checkedOnly('run.org_id'))} = ${orgId}
      ORDER BY run.created_at DESC, run.id DESC LIMIT ${page.limit + 1}) r
    ORDER BY r.created_at DESC, r.id DESC LIMIT ${page.limit + 1}`;
  const rows = await db
    .select(RUN_COLUMNS)
    .from(run)
    .innerJoin(conversation, WITH_CONVERSATION)
    .where(and(eq(run.orgId, orgId), sql`${run.id} = ANY (ARRAY(${newest}))`))
    .orderBy(...newestFirst(run.createdAt, run.id))
    .limit(page.limit + 1);
  return pageOf(rows, page.limit);
}

/** Returns the messages of the given runs, oldest first. */
export async function listRunMessages(
  db: Queryable,
  orgId: string,
  conversationId: string,
  runId: string,
): Promise<MessageRow[]> {
  const rows = await db
    .select()
    .from(message)
    .where(and(eq(message.orgId, orgId), eq(message.conversationId, conversationId), eq(message.runId, runId)))
    .orderBy(asc(message.id))
    .limit(MAX_RUN_MESSAGES);
  return rows;
}

/**
 * The messages of the agent and of members in this run that follow one message, oldest first. Returns all messages if
 * the given message does not belong to the run. The messages are in the order in which they were stored. The lock on
 * the conversation makes the order of storing the order of commits.
 */
export async function listMessagesAfter(
  db: Queryable,
  run: { orgId: string; conversationId: string; id: string },
  after: string | null,
): Promise<MessageRow[]> {
  const inRun = and(
    eq(message.orgId, run.orgId),
    eq(message.conversationId, run.conversationId),
    eq(message.runId, run.id),
  );
  const [known] =
    after === null
      ? []
      : await db
          .select()
          .from(message)
          .where(and(inRun, eq(message.id, after)))
          .limit(1);
  return db
    .select()
    .from(message)
    .where(
      and(
        inRun,
        ne(message.role, 'end_user'),
        known &&
          sql`(${message.createdAt}, ${message.id}) > (SELECT created_at, id FROM message
          WHERE org_id = ${run.orgId} AND id = ${known.id})`,
      ),
    )
    .orderBy(asc(message.createdAt), asc(message.id))
    .limit(MAX_RUN_MESSAGES);
}

/**
 * Cancels a run that has not ended. A turn that is in progress for the run can no longer be stored. Returns false if
 * the run has already ended.
 */
export async function cancelRunRow(db: Queryable, orgId: string, id: string, reason?: string): Promise<boolean> {
  const rows = await db
    .update(run)
    .set({ status: 'cancelled', ...(reason && { reason }), dueAt: null, lease: null, finishedAt: sql`now()` })
    .where(
      and(
        eq(run.orgId, orgId),
        eq(run.id, id),
        inArray(run.status, [
          'queued',
          'scheduled',
          'running',
          'waiting_for_user',
          'waiting_for_approval',
          'handed_off',
        ]),
      ),
    )
    .returning({ id: run.id });
  return rows.length > 0;
}

export type RunProgress = { id: string; turns: number; status: string; attempts: number; due: boolean };

/**
 * Returns the progress of the given runs, without runs whose cell does not answer. One query serves any number of
 * callers.
 */
export async function readRunProgress(
  db: Db,
  runs: readonly { orgId: string; runId: string }[],
): Promise<RunProgress[]> {
  return foundInReachableCells(
    db,
    runs,
    ({ orgId }) => orgId,
    (some) => progressOf(db, some),
  );
}

async function progressOf(db: Db, runs: readonly { orgId: string; runId: string }[]): Promise<RunProgress[]> {
  const found = await db.$client.query<RunProgress>({
    name: 'read-run-progress',
    text: `SELECT r.id, r.turns, r.status, r.attempts, r.due_at IS NOT NULL AND r.status <> 'waiting_for_user' AS due FROM run r
      JOIN unnest($1::text[], $2::text[]) AS w(org_id, id) ON r.org_id = w.org_id AND r.id = w.id`,
    values: [runs.map((entry) => entry.orgId), runs.map((entry) => entry.runId)],
  });
  return found.rows;
}
