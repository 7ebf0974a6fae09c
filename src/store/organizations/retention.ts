import { eq, sql, type SQL } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import { recordAudit, SYSTEM } from './audit.ts';
import type { Db, Queryable } from '../db.ts';
import { retention } from '../schema/retention.ts';

/**
 * Erases data that is older than the retention period of an organization. A pass reads the organization's conversations
 * in the order of their IDs, which contain their time, and ends at the conversations that are too recent. A pass runs
 * in batches. Each batch is a short transaction that continues after the last batch, on any node. In a conversation
 * that is still active, old messages and old runs are deleted. A conversation without activity during the whole period
 * is deleted completely. A conversation in progress is not touched. Campaigns count their recipients, so recipients
 * stay, without their messages.
 */
export type Retention = { days: number; sweptAt: Date | null };

/** One batch examines at most this many conversations, and removes at most this many rows of each kind. */
const PIECE = 200;
const ROWS = 2_000;
const MOST = sql.raw(`${ROWS}`);
/** Time between the end of one pass and the start of the next. */
const PASS_HOURS = 24;
/** A pass that failed continues after this time. */
const RETRY_MINUTES = 10;
/**
 * Maximum number of conversations that are counted before a setting is saved. Above this number, the dashboard shows
 * the count as "more".
 */
const MAX_COUNTED = 10_000;

export async function readRetention(db: Queryable, orgId: string): Promise<Retention | null> {
  const [row] = await db
    .select({ days: retention.days, sweptAt: retention.sweptAt })
    .from(retention)
    .where(eq(retention.orgId, orgId));
  return row ?? null;
}

/** Makes the next pass start immediately. */
export async function setRetention(tx: Queryable, orgId: string, days: number | null): Promise<void> {
  if (days === null) {
    await tx.delete(retention).where(eq(retention.orgId, orgId));
    return;
  }
  await tx
    .insert(retention)
    .values({ orgId, days })
    .onConflictDoUpdate({ target: retention.orgId, set: { days, cursor: '', dueAt: sql`excluded.due_at` } });
}

/** The number of conversations that retention would delete completely, among the oldest MAX_COUNTED. */
export async function countOld(db: Queryable, orgId: string, days: number): Promise<{ many: number; more: boolean }> {
  const { rows } = await db.execute<{ many: number; looked: number }>(sql`
    WITH looked AS MATERIALIZED (
      SELECT status, updated_at FROM conversation
      WHERE org_id = ${orgId} AND id < ${idAt(new Date(Date.now() - days * DAY_MS))} ORDER BY id LIMIT ${MAX_COUNTED})
    SELECT count(*)::int AS looked, (count(*) FILTER (WHERE status <> 'handed_off'
      AND updated_at < now() - make_interval(days => ${days})))::int AS many FROM looked`);
  const { many, looked } = rows[0]!;
  return { many, more: looked === MAX_COUNTED };
}

type Pass = { org_id: string; days: number; cursor: string; before: Date };
type Piece = { conversations: number; messages: number; runs: number };

/**
 * Erases one batch of old data. Returns false if no batch is due. The organization that has waited longest comes first.
 * After each batch, the organization moves to the end of the queue. If the batch fails, the organization waits, so that
 * it does not stop all others. `now`: the database's time. Only tests pass another time.
 */
export async function eraseOld(db: Db, now: Date | null = null): Promise<boolean> {
  let failing: Pass | null = null;
  try {
    return await eraseBatch(db, now, (pass) => (failing = pass));
  } catch (error) {
    if (failing !== null) await delayPass(db, failing).catch(() => {});
    throw error;
  }
}

function eraseBatch(db: Db, now: Date | null, onTaken: (pass: Pass) => void): Promise<boolean> {
  return db.transaction(async (tx) => {
    const pass = await takePass(tx, now);
    if (pass === null) return false;
    onTaken(pass);
    const looked = await lookAt(tx, pass);
    const locked = await lock(
      tx,
      pass,
      looked.filter(({ holds }) => holds).map(({ id }) => id),
    );
    const erased = await erase(tx, pass, await weigh(tx, pass, locked));
    // True: the limit was reached, so the conversations may have further rows.
    const again = erased.messages === ROWS || erased.runs === ROWS;
    const isDone = !again && looked.length < PIECE;
    const cursor = again ? pass.cursor : (looked.at(-1)?.id ?? pass.cursor);
    if (isDone) await tx.execute(DELETE_TAPS(sql`${pass.org_id}`, moment(pass.before)));
    await endPiece(tx, pass, erased, { cursor, isDone, now });
    return true;
  });
}

async function delayPass(db: Db, { org_id: orgId }: Pass): Promise<void> {
  const dueAt = sql`statement_timestamp() + make_interval(mins => ${RETRY_MINUTES})`;
  await db.update(retention).set({ dueAt }).where(eq(retention.orgId, orgId));
}

/** The database's clock decides which data is old, because a node with a wrong clock must not erase too much. */
async function takePass(tx: Queryable, now: Date | null): Promise<Pass | null> {
  const at = momentOf(now);
  const { rows } = await tx.execute<Omit<Pass, 'before'> & { before: string }>(sql`
    SELECT org_id, days, cursor, (${at} - make_interval(days => days))::text AS before FROM retention
    WHERE due_at <= ${at} ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`);
  const [row] = rows;
  return row ? { ...row, before: new Date(row.before) } : null;
}

export const LOOK_AT = (orgId: SQL, cursor: SQL, until: SQL, before: SQL): SQL => sql`
  SELECT c.id, c.status <> 'handed_off' AND (c.updated_at < ${before} OR (SELECT 1 FROM message m
    WHERE m.conversation_id = c.id AND m.org_id = c.org_id AND m.created_at < ${before} LIMIT 1) IS NOT NULL
    OR (SELECT 1 FROM conversation_note n
    WHERE n.org_id = c.org_id AND n.conversation_id = c.id AND n.created_at < ${before} LIMIT 1) IS NOT NULL) AS holds
  FROM conversation c WHERE c.org_id = ${orgId} AND c.id > ${cursor} AND c.id < ${until} ORDER BY c.id
    LIMIT ${sql.raw(`${PIECE}`)}`;

/** The next conversations that started before the limit, and whether they may contain something to erase. */
async function lookAt(
  tx: Queryable,
  { org_id: orgId, cursor, before }: Pass,
): Promise<{ id: string; holds: boolean }[]> {
  const statement = LOOK_AT(sql`${orgId}`, sql`${cursor}`, sql`${idAt(before)}`, moment(before));
  return (await tx.execute<{ id: string; holds: boolean }>(statement)).rows;
}

/** A conversation that another transaction has locked is skipped until the next pass. */
async function lock(tx: Queryable, { org_id: orgId }: Pass, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT id FROM conversation WHERE org_id = ${orgId} AND id = ANY (${list(ids)}) ORDER BY id
      FOR UPDATE SKIP LOCKED`);
  return rows.map(({ id }) => id);
}

/**
 * Each subquery is a look-up for one conversation. With joins, the planner may choose to read the whole organization.
 */
export const WEIGH = (orgId: SQL, ids: SQL, before: SQL): SQL => sql`
  SELECT c.id, c.updated_at < ${before} AND (SELECT 1 FROM message m
    WHERE m.conversation_id = c.id AND m.org_id = c.org_id AND m.created_at >= ${before} LIMIT 1) IS NULL AS old
  FROM conversation c WHERE c.org_id = ${orgId} AND c.id = ANY (${ids}) AND c.status <> 'handed_off'
  AND (SELECT 1 FROM message m
    WHERE m.org_id = c.org_id AND m.conversation_id = c.id AND m.due_at IS NOT NULL LIMIT 1) IS NULL
  AND (SELECT 1 FROM run r WHERE r.conversation_id = c.id AND r.org_id = c.org_id AND (r.due_at IS NOT NULL OR (
    SELECT p.status FROM recipient p WHERE p.org_id = r.org_id AND p.run_id = r.id LIMIT 1
  ) IN ('pending', 'waiting_window', 'sending')) LIMIT 1) IS NULL`;

/**
 * Finds which of the locked conversations are not in progress, and which are completely old. The conversations are
 * locked, so no transaction can add to them.
 */
async function weigh(tx: Queryable, { org_id: orgId, before }: Pass, ids: string[]) {
  if (ids.length === 0) return [];
  const { rows } = await tx.execute<{ id: string; old: boolean }>(WEIGH(sql`${orgId}`, list(ids), moment(before)));
  return rows;
}

async function erase(tx: Queryable, pass: Pass, idle: readonly { id: string; old: boolean }[]): Promise<Piece> {
  const piece: Piece = { conversations: 0, messages: 0, runs: 0 };
  if (idle.length === 0) return piece;
  const all = list(idle.map(({ id }) => id));
  const old = list(idle.filter((one) => one.old).map(({ id }) => id));
  const { org_id: orgId, before } = pass;
  piece.messages = await count(tx, DELETE_MESSAGES(sql`${orgId}`, all, old, moment(before)));
  if (piece.messages === ROWS) return piece;
  await tx.execute(CLEAR_MEMORY(sql`${orgId}`, all));
  await tx.execute(DELETE_SUMMARIES(sql`${orgId}`, all));
  piece.runs = await count(tx, DELETE_RUNS(sql`${orgId}`, all, old, moment(before)));
  if (piece.runs === ROWS) return piece;
  await tx.execute(DELETE_APPROVALS(sql`${orgId}`, all, moment(before)));
  await tx.execute(DELETE_NOTES(sql`${orgId}`, all, moment(before)));
  await tx.execute(DELETE_RATINGS(sql`${orgId}`, all, moment(before)));
  piece.conversations = await count(tx, DELETE_CONVERSATIONS(sql`${orgId}`, old));
  return piece;
}

/** In an active conversation, messages without an answer stay. */
export const DELETE_MESSAGES = (orgId: SQL, all: SQL, old: SQL, before: SQL): SQL => sql`WITH gone AS (
  DELETE FROM message WHERE org_id = ${orgId} AND id = ANY (ARRAY(
    SELECT m.id FROM conversation c CROSS JOIN LATERAL (
      SELECT m.id FROM message m
      WHERE m.conversation_id = c.id AND m.org_id = c.org_id AND m.created_at < ${before} AND m.due_at IS NULL
        AND (c.id = ANY (${old}) OR m.id <> ALL (c.unanswered)) LIMIT ${MOST}) m
    WHERE c.org_id = ${orgId} AND c.id = ANY (${all}) LIMIT ${MOST})) RETURNING id
) SELECT count(*)::int AS n FROM gone`;

/** The memory of a model (engine/conversation-memory.ts) contains parts of old messages, without their times. */
export const CLEAR_MEMORY = (orgId: SQL, all: SQL): SQL => sql`
  UPDATE conversation SET state = state - 'memory'
  WHERE org_id = ${orgId} AND id = ANY (${all}) AND jsonb_typeof(state) = 'object' AND jsonb_exists(state, 'memory')`;

/** A summary for members repeats old messages. Parley writes a new summary when a member needs it. */
export const DELETE_SUMMARIES = (orgId: SQL, all: SQL): SQL => sql`
  DELETE FROM conversation_summary WHERE org_id = ${orgId} AND conversation_id = ANY (${all})`;

/** The current run of an active conversation stays. A recipient stays in the counts of its campaign. */
export const DELETE_RUNS = (orgId: SQL, all: SQL, old: SQL, before: SQL): SQL => sql`WITH gone AS (
  DELETE FROM run WHERE org_id = ${orgId} AND id = ANY (ARRAY(
    SELECT r.id FROM conversation c CROSS JOIN LATERAL (
      SELECT r.id FROM run r WHERE r.conversation_id = c.id AND r.org_id = c.org_id AND r.due_at IS NULL
        AND (c.id = ANY (${old}) OR (r.finished_at < ${before} AND r.id IS DISTINCT FROM c.run_id)) LIMIT ${MOST}) r
    WHERE c.org_id = ${orgId} AND c.id = ANY (${all}) LIMIT ${MOST})) RETURNING id
), stripped AS (
  UPDATE recipient p SET variables = '{}', conversation_id = NULL, run_id = NULL
  WHERE p.org_id = ${orgId} AND p.run_id = ANY (ARRAY(SELECT id FROM gone))
) SELECT count(*)::int AS n FROM gone`;

/** A conversation has few notes (MAX_NOTES). The notes of a deleted conversation are deleted with it. */
export const DELETE_NOTES = (orgId: SQL, all: SQL, before: SQL): SQL => sql`
  DELETE FROM conversation_note WHERE org_id = ${orgId} AND conversation_id = ANY (${all}) AND created_at < ${before}`;

/** The comment of a rating is text of the person. The counts of ratings on Home stay. */
export const DELETE_RATINGS = (orgId: SQL, all: SQL, before: SQL): SQL => sql`
  DELETE FROM rating WHERE org_id = ${orgId} AND conversation_id = ANY (${all})
    AND coalesce(rated_at, created_at) < ${before} AND due_at IS NULL`;

/** The arguments of a tool call may contain data of a person. An open approval stays as long as its conversation. */
export const DELETE_APPROVALS = (orgId: SQL, all: SQL, before: SQL): SQL => sql`
  DELETE FROM approval WHERE org_id = ${orgId} AND conversation_id = ANY (${all}) AND created_at < ${before}
    AND answered_at IS NOT NULL`;

/**
 * Deletes choices of single people that did not become a learned question. The rows of choices contain text of the
 * person.
 */
export const DELETE_TAPS = (orgId: SQL, before: SQL): SQL => sql`
  DELETE FROM passage_wording WHERE org_id = ${orgId} AND state = 'tap' AND created_at < ${before}`;

export const DELETE_CONVERSATIONS = (orgId: SQL, old: SQL): SQL => sql`WITH gone AS (
  DELETE FROM conversation WHERE org_id = ${orgId} AND id = ANY (${old}) RETURNING id
) SELECT count(*)::int AS n FROM gone`;

async function count(tx: Queryable, statement: SQL): Promise<number> {
  const { rows } = await tx.execute<{ n: number }>(statement);
  return rows[0]!.n;
}

/** Writes one audit entry for everything that a pass has erased. */
async function endPiece(
  tx: Queryable,
  { org_id: orgId, days }: Pass,
  erased: Piece,
  { cursor, isDone, now }: { cursor: string; isDone: boolean; now: Date | null },
): Promise<void> {
  const at = momentOf(now);
  const [sum] = await tx
    .update(retention)
    .set({
      cursor,
      conversations: sql`${retention.conversations} + ${erased.conversations}`,
      messages: sql`${retention.messages} + ${erased.messages}`,
      dueAt: isDone ? sql`${at} + make_interval(hours => ${PASS_HOURS})` : at,
    })
    .where(eq(retention.orgId, orgId))
    .returning({ conversations: retention.conversations, messages: retention.messages });
  if (!isDone) return;
  const facts = { days, ...sum! };
  if (facts.messages > 0 || facts.conversations > 0)
    await recordAudit(tx, { orgId, actor: SYSTEM, action: 'retention.swept', subjectId: orgId, facts });
  await tx
    .update(retention)
    .set({ cursor: '', conversations: 0, messages: 0, sweptAt: at })
    .where(eq(retention.orgId, orgId));
}

const DAY_MS = 86_400_000;
/** Records that were created before the given time have a smaller ID. */
const idAt = (at: Date): string => newId('conv', at.getTime()).slice(0, 'conv_'.length + 10);

const momentOf = (now: Date | null): SQL => (now === null ? sql`statement_timestamp()` : moment(now));
const moment = (at: Date): SQL => sql`${at.toISOString()}::timestamptz`;
const list = (ids: readonly string[]): SQL => sql`${sql.param([...ids])}::text[]`;
