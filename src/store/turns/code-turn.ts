import type pg from 'pg';
import type { MessageContent, MessageSource } from '../../../contract/messages.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import type { TurnAnswer } from '../../../contract/turns.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../db.ts';
import { leasedRun } from '../runs/release.ts';
import type { CodeTurn } from '../schema/run.ts';
import { storable } from '../../kernel/storable.ts';

/**
 * A turn that the customer's own code answers. The state of such a turn is a column of the run, because the run is the
 * queue: while the code works on an accepted turn (202), the run has no lease and is due at the deadline. No worker
 * waits for the code, and the end of a worker loses nothing. The first stored answer counts. The answer comes from the
 * worker that got the response, or from the call to `reply_url`, which also makes the run due.
 */
export type RunRef = { orgId: string; runId: string; lease: string };

const keyOf = ({ orgId, runId, lease }: RunRef): string[] => [orgId, runId, lease];

/** The number of past turns is enough for a receiver that repeats an old answer because it got no response. */
const MAX_PAST = 20;
/** The code receives at most this many messages. */
const MESSAGES = 40;
/** While the worker has the lease, only an answer can change the column. */
const MAX_RACES = 3;

export type AskedMessage = {
  id: string;
  role: 'agent' | 'end_user' | 'member' | 'system';
  content: MessageContent;
  sources: MessageSource[];
  created_at: string;
};

export type Facts = {
  code_turn: CodeTurn | null;
  turns: number;
  trigger_id: string | null;
  input: RunInput;
  key: string | null;
  unanswered: string[];
  now: Date;
  messages: AskedMessage[];
};

/** The next step of the turn. `ask`: the worker calls the code now, as this attempt. */
export type NextStep =
  | { step: 'ask'; turn: CodeTurn; facts: Facts }
  | { step: 'answered'; turn: CodeTurn; answer: TurnAnswer }
  | { step: 'wait'; turn: CodeTurn }
  | { step: 'late'; turn: CodeTurn };

type Limits = { seconds: number; fields: CodeTurn['fields']; told: string[] };

/** Reads or begins the turn of a claimed run. Null: the run belongs to another worker. */
export async function nextStep(pool: pg.Pool, run: RunRef, limits: Limits): Promise<NextStep | null> {
  for (let race = 1; race <= MAX_RACES; race++) {
    const facts = await readFacts(pool, run);
    if (facts === null) return null;
    const next = decide(facts, limits);
    if (next.step === 'answered' || next.step === 'wait') return next;
    const stored = await pool.query({
      name: 'step-code-turn',
      text: `UPDATE run SET code_turn = $4::jsonb
        WHERE org_id = $1 AND id = $2 AND lease = $3 AND code_turn IS NOT DISTINCT FROM $5::jsonb`,
      values: [...keyOf(run), JSON.stringify(next.turn), facts.code_turn && JSON.stringify(facts.code_turn)],
    });
    if (stored.rowCount === 1) return next;
  }
  return null;
}

function decide(facts: Facts, { seconds, fields, told }: Limits): NextStep {
  const { code_turn: before, now } = facts;
  const basis = basisOf(facts);
  const deadline = new Date(now.getTime() + seconds * 1_000).toISOString();
  if (before === null || before.basis !== basis) {
    const past = [...(before?.past ?? []), ...(before?.print ? [{ id: before.id, print: before.print }] : [])];
    const turn = { id: newId('turn'), basis, attempt: 1, deadline, waits: false, fields, told };
    return { step: 'ask', turn: { ...turn, past: past.slice(-MAX_PAST) }, facts };
  }
  if (before.answer) return { step: 'answered', turn: before, answer: before.answer };
  if (!before.waits) return { step: 'ask', turn: { ...before, attempt: before.attempt + 1, deadline, fields }, facts };
  if (new Date(before.deadline) > now) return { step: 'wait', turn: before };
  // The next attempt calls the code again.
  return { step: 'late', turn: { ...before, waits: false } };
}

/** A new message of the person changes the text. Tags, notes and messages of others do not change the text. */
const basisOf = ({ turns, unanswered }: Pick<Facts, 'turns' | 'unanswered'>): string =>
  `${turns} ${unanswered.at(-1) ?? ''}`;

async function readFacts(pool: pg.Pool, run: RunRef): Promise<Facts | null> {
  const found = await pool.query<Facts>({
    name: 'read-code-turn',
    text: `SELECT r.code_turn, r.turns, r.trigger_id, r.input, c.key, c.unanswered, clock_timestamp() AS now,
        coalesce((SELECT json_agg(m ORDER BY m.is_own, m.id) FROM (
          SELECT id, role, content, sources, created_at,
            r.send_at IS NOT NULL AND r.turns = 0 AND id = coalesce(r.input ->> 'message_id', '') AS is_own
          FROM message WHERE coalesce(org_id, '') = c.org_id AND conversation_id = c.id
          ORDER BY created_at DESC, id DESC LIMIT ${MESSAGES}
        ) m), '[]') AS messages
      FROM run r JOIN conversation c ON c.org_id = r.org_id AND c.id = r.conversation_id
      WHERE r.org_id = $1 AND r.id = $2 AND r.lease = $3`,
    values: keyOf(run),
  });
  return found.rows[0] ?? null;
}

/** Stores the answer that the worker got, unless another answer was first. Returns the answer that counts. */
export async function keepAnswer(
  pool: pg.Pool,
  run: RunRef,
  turnId: string,
  given: { answer: TurnAnswer; print: string },
): Promise<TurnAnswer | null> {
  const stored = await pool.query<{ answer: TurnAnswer | null }>({
    name: 'keep-code-answer',
    text: `UPDATE run SET code_turn = CASE WHEN code_turn ? 'answer' THEN code_turn ELSE code_turn || $5::jsonb END
      WHERE org_id = $1 AND id = $2 AND lease = $3 AND code_turn ->> 'id' = $4
      RETURNING code_turn -> 'answer' AS answer`,
    values: [...keyOf(run), turnId, storable(given)],
  });
  return stored.rows[0]?.answer ?? null;
}

/** Records that the code has accepted the turn (202). Returns the answer if it has already arrived. */
export async function noteAccepted(pool: pg.Pool, run: RunRef, turnId: string): Promise<TurnAnswer | null> {
  const noted = await pool.query<{ answer: TurnAnswer | null }>({
    name: 'note-code-accepted',
    text: `UPDATE run SET code_turn = code_turn || '{"waits": true}'
      WHERE org_id = $1 AND id = $2 AND lease = $3 AND code_turn ->> 'id' = $4
      RETURNING code_turn -> 'answer' AS answer`,
    values: [...keyOf(run), turnId],
  });
  return noted.rows[0]?.answer ?? null;
}

/**
 * Releases the run until its answer or its deadline. If an answer or a message has arrived since the claim, the run is
 * due now.
 */
export const AWAIT = `WITH mine AS MATERIALIZED (${leasedRun('$4')})
  UPDATE run r SET lease = NULL, attempts = r.attempts - 1, error = NULL,
    due_at = CASE WHEN outdated OR r.code_turn ? 'answer' THEN (SELECT now())
      ELSE (SELECT coalesce((r.code_turn ->> 'deadline')::timestamptz, now())) END
  FROM mine WHERE r.org_id = mine.org_id AND r.id = mine.id
  RETURNING r.due_at <= now() AS is_due`;

/** Returns whether the run is due now. */
export async function awaitAnswer(
  pool: pg.Pool,
  run: { org_id: string; run_id: string; lease: string; conversation_version: number },
): Promise<boolean> {
  const released = await pool.query<{ is_due: boolean }>({
    name: 'await-code-answer',
    text: AWAIT,
    values: [run.org_id, run.run_id, run.lease, run.conversation_version],
  });
  return released.rows[0]?.is_due ?? false;
}

export type Reply = { orgId: string; runId: string; turnId: string };
export type ReplyOutcome = 'accepted' | 'replayed' | 'superseded';

/** The turn to which a reply belongs, before its answer is checked. */
export async function readRepliedTurn(pool: pg.Pool, { orgId, runId, turnId }: Reply): Promise<CodeTurn | null> {
  const found = await pool.query<{ code_turn: CodeTurn }>({
    name: 'read-replied-turn',
    text: `SELECT code_turn FROM run WHERE org_id = $1 AND id = $2 AND code_turn ->> 'id' = $3`,
    values: [orgId, runId, turnId],
  });
  return found.rows[0]?.code_turn ?? null;
}

/**
 * Stores an answer that came to `reply_url`, if its turn is open, and makes the run due. A run whose turn was
 * superseded becomes due too, because nothing else would end it before its deadline. The lock on the run orders the
 * change before or after a message that arrives at the same time.
 */
export const storeReply = (
  pool: pg.Pool,
  { orgId, runId, turnId }: Reply,
  given: { answer: TurnAnswer; print: string },
): Promise<ReplyOutcome> => inTransaction(pool, (client) => storeLocked(client, [orgId, runId], turnId, given));

const LOCK = `SELECT code_turn, turns, status, conversation_id FROM run WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`;
const IS_OPEN = `SELECT status = 'open' AS is_open, unanswered,
  clock_timestamp() AS now FROM conversation WHERE org_id = $1 AND id = $2`;
const WAKE = `due_at = CASE WHEN lease IS NULL AND due_at IS NOT NULL THEN (SELECT statement_timestamp()) ELSE due_at END`;

async function storeLocked(
  client: pg.PoolClient,
  [orgId, runId]: [string, string],
  turnId: string,
  given: { answer: TurnAnswer; print: string },
): Promise<ReplyOutcome> {
  type Locked = { code_turn: CodeTurn | null; turns: number; status: string; conversation_id: string };
  const [run] = (await client.query<Locked>(LOCK, [orgId, runId])).rows;
  if (!run?.code_turn) return 'superseded';
  const { code_turn: turn } = run;
  const known = [...turn.past, ...(turn.print ? [{ id: turn.id, print: turn.print }] : [])];
  const before = known.find(({ id }) => id === turnId);
  if (before) return before.print === given.print ? 'replayed' : 'superseded';
  if (turn.id !== turnId) return 'superseded';
  type Place = { is_open: boolean; unanswered: string[]; now: Date };
  const [place] = (await client.query<Place>(IS_OPEN, [orgId, run.conversation_id])).rows;
  const isCurrent = place?.is_open === true && basisOf({ ...run, unanswered: place.unanswered }) === turn.basis;
  const isOpen = isCurrent && new Date(turn.deadline) > place.now && ['queued', 'running'].includes(run.status);
  if (isOpen) {
    const set = `code_turn = code_turn || $3::jsonb, ${WAKE}`;
    await client.query(`UPDATE run SET ${set} WHERE org_id = $1 AND id = $2`, [orgId, runId, storable(given)]);
    return 'accepted';
  }
  if (!isCurrent && turn.waits)
    await client.query(`UPDATE run SET ${WAKE} WHERE org_id = $1 AND id = $2`, [orgId, runId]);
  return 'superseded';
}
