import type pg from 'pg';
import { type Fault, PROBLEMS, type ProblemCode, Refusal } from '../../contract/problems.ts';
import { type Batcher, createBatcher } from '../kernel/batcher.ts';
import type { EndUserFields } from './accept/call.ts';
import { type EndUserRow, EndUserBook, LATER } from './accept/resolve-end-users.ts';
import { readStoredAnswer } from './accept/stored-answer.ts';
import { LOST_RACE } from './accept/write-runs.ts';
import { type Db, isUniqueViolation, isUnreachable, sqlState } from './db.ts';
import { type PlannedUpsert, type WrittenPerson, writeEndUsers } from './end-users-write.ts';
import type { Suppression } from './suppression.ts';

/**
 * Making and changing people at speed: calls that arrive together are planned together and written together, as trigger
 * calls are (accept/accept-runs.ts). A bulk call is planned as one: its rows may mean the same person.
 */
export type UpsertCall = {
  orgId: string;
  keyId: string | null;
  /** `upsert`: makes or changes. `create`: only makes. `bulk`: upserts every row, or none when the call is refused. */
  mode: 'upsert' | 'create' | 'bulk';
  people: EndUserFields[];
  idempotency: { scope: Buffer; request: Buffer } | null;
  /** The answer that is stored with the effect; made before the write, so only of calls that take an Idempotency-Key. */
  answer?(outcomes: readonly PersonOutcome[]): { status: number; body: string };
};

export type PersonOutcome =
  | { kind: 'created' | 'updated'; row: EndUserRow; written: WrittenPerson | null }
  | { kind: 'refused'; refusal: Refusal };

export type UpsertOutcome =
  | { kind: 'written'; people: PersonOutcome[]; answer: { status: number; body: string } | null }
  | { kind: 'replayed'; answer: { status: number; body: string } };

export type EndUserQueue = { upsert(call: UpsertCall): Promise<UpsertOutcome>; drain(): Promise<void> };

const BATCH = 200;
const LANES = 2;
/** Waiting calls; about half a second of work on a small machine. */
const QUEUE = 5_000;
/** Plans of one batch before giving up: each repetition means that somebody else was faster. */
const TRIES = 12;

export function createEndUserQueue(db: Db, suppression: Suppression | null = null): EndUserQueue {
  const send = (calls: UpsertCall[]) => writeBatch(db.$client, calls, suppression);
  const queue: Batcher<UpsertCall, UpsertOutcome | typeof LATER> = createBatcher({
    size: BATCH,
    lanes: LANES,
    queue: QUEUE,
    send,
    full: () => unavailable('More calls are waiting than this server takes at once.'),
  });
  return {
    upsert: async (call) => {
      if (call.mode === 'bulk') {
        // Large by itself: it would only hold up those who share its batch.
        const [outcome] = await send([call]);
        if (outcome instanceof Error) throw outcome;
        return outcome as UpsertOutcome;
      }
      for (;;) {
        const outcome = await queue.add(call);
        if (outcome !== LATER) return outcome;
      }
    },
    drain: () => queue.drain(),
  };
}

const unavailable = (detail: string, cause?: unknown) =>
  new Refusal('unavailable', detail, { headers: { 'Retry-After': '1' }, cause });

type BatchOutcome = UpsertOutcome | typeof LATER | Error;

async function writeBatch(
  pool: pg.Pool,
  calls: UpsertCall[],
  suppression: Suppression | null,
): Promise<BatchOutcome[]> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable('The database cannot be reached.', error);
    });
    let broken = false;
    try {
      return await planAndWrite(client, calls, suppression);
    } catch (error) {
      const state = sqlState(error);
      // Two rows of one batch that trade an identifier meet in its unique index, and each alone does not.
      const isTrade = isUniqueViolation(error) && calls.length === 1;
      const again = state === LOST_RACE || state === '40001' || state === '40P01' || isTrade;
      if (again && attempt < TRIES) continue;
      if (again) return calls.map(() => unavailable('Too many calls change the same records at this moment.'));
      if (isUnreachable(error)) {
        broken = true;
        const headers = { 'Retry-After': '1' };
        throw error instanceof Refusal
          ? error
          : new Refusal('outcome_unknown', PROBLEMS.outcome_unknown.cure, { headers, cause: error });
      }
      if (calls.length === 1) return [error as Error];
    } finally {
      client.release(broken);
    }
    const outcomes: BatchOutcome[] = [];
    for (const call of calls)
      outcomes.push(...(await writeBatch(pool, [call], suppression).catch((error: Error) => [error])));
    return outcomes;
  }
}

/** What a bulk call would do, without doing it: rows that mean the same person, clashes and all. */
export async function planEndUsers(
  db: Db,
  orgId: string,
  people: EndUserFields[],
  suppression: Suppression | null,
): Promise<PersonOutcome[]> {
  const named = people.map((endUser) => ({ orgId, endUser }));
  const book = await EndUserBook.read(db.$client, named, suppression);
  const planned = planCall({ orgId, keyId: null, mode: 'bulk', people, idempotency: null }, book, new Date(), true);
  if (planned === LATER || planned instanceof Refusal) throw new Error('a bulk call is planned as one');
  return planned.people;
}

type Planned = { call: UpsertCall; people: PersonOutcome[]; plan: PlannedUpsert };

async function planAndWrite(
  client: pg.PoolClient,
  calls: UpsertCall[],
  suppression: Suppression | null,
): Promise<BatchOutcome[]> {
  const named = calls.flatMap(({ orgId, people }) => people.map((endUser) => ({ orgId, endUser })));
  const now = new Date();
  const book = await EndUserBook.read(client, named, suppression).catch((error: unknown) => {
    // Nothing was written yet, so this is not "unknown".
    throw isUnreachable(error) ? unavailable('The database cannot be reached.', error) : error;
  });
  // Calls that stand and fall together may add to what one another says; so a person of whom much is said at once takes
  // one batch and not one for each call.
  const together = calls.every((call) => call.keyId === calls[0]!.keyId && call.idempotency === null);
  const plans = calls.map((call) => planCall(call, book, now, together || calls.length === 1));
  const planned = plans.filter((entry): entry is Planned => typeof entry === 'object' && 'plan' in entry);
  const written =
    planned.length > 0
      ? await writeEndUsers(
          client,
          planned.map(({ plan }) => plan),
          now,
        )
      : [];
  const byPlan = new Map(planned.map((entry, index) => [entry, written[index] ?? null]));
  const outcomes: BatchOutcome[] = [];
  for (const [index, entry] of plans.entries()) {
    if (entry === LATER) outcomes.push(entry);
    else if (entry instanceof Refusal)
      outcomes.push(await refusedOrReplayed(client, calls[index]!, entry).catch((error: unknown) => error as Error));
    else outcomes.push(await outcomeOf(client, entry, byPlan.get(entry)!).catch((error: unknown) => error as Error));
  }
  return outcomes;
}

function planCall(call: UpsertCall, book: EndUserBook, now: Date, together: boolean): Planned | Refusal | typeof LATER {
  const people: PersonOutcome[] = [];
  for (const said of call.people) {
    const row = call.mode === 'create' ? book.make(call.orgId, said) : book.take(call.orgId, said, together);
    if (row === LATER) return LATER;
    if (row instanceof Refusal) {
      if (call.mode !== 'bulk') return row;
      people.push({ kind: 'refused', refusal: row });
    } else {
      const isNew = row.updated_at === null && row.uses === 1;
      if (row.created_at === null) row.created_at = now;
      people.push({ kind: isNew ? 'created' : 'updated', row, written: null });
    }
  }
  const rows = [...new Set(people.flatMap((one) => (one.kind === 'refused' ? [] : one.row)))];
  const { orgId, keyId, idempotency } = call;
  return { call, people, plan: { orgId, keyId, idempotency, answer: call.answer?.(people) ?? null, rows } };
}

async function outcomeOf(
  client: pg.PoolClient,
  { call, people, plan }: Planned,
  written: Map<string, WrittenPerson> | null,
): Promise<UpsertOutcome> {
  if (written === null) return whyNotWritten(client, call);
  for (const one of people) if (one.kind !== 'refused') one.written = written.get(one.row.id)!;
  return { kind: 'written', people, answer: plan.answer };
}

/** What stands in the way of a call may be its own first effect. */
async function refusedOrReplayed(client: pg.PoolClient, call: UpsertCall, refusal: Refusal): Promise<UpsertOutcome> {
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'replayed') return { kind: 'replayed', answer: stored.answer };
  throw stored?.kind === 'refused' ? stored.refusal : refusal;
}

/** Either the Idempotency-Key was used before, or the fence was down. */
async function whyNotWritten(client: pg.PoolClient, call: UpsertCall): Promise<UpsertOutcome> {
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind === 'replayed') return { kind: 'replayed', answer: stored.answer };
  throw await readKeyFence(client, call);
}

/** Which part of the fence a call ran into that acts on the organization alone. */
export async function readKeyFence(
  client: pg.Pool | pg.PoolClient,
  { orgId, keyId }: { orgId: string; keyId: string | null },
): Promise<Refusal> {
  const found = await client.query<{ code: ProblemCode | null }>(
    `SELECT CASE
      WHEN NOT EXISTS (SELECT 1 FROM api_key WHERE org_id = $1 AND id = $2
        AND revoked_at IS NULL AND (revoke_at IS NULL OR revoke_at > now())) THEN 'key_revoked'
      WHEN NOT EXISTS (SELECT 1 FROM organization WHERE id = $1 AND plan = 'paid') THEN 'plan_required'
    END AS code`,
    [orgId, keyId],
  );
  const code = found.rows[0]?.code;
  return code ? new Refusal(code) : unavailable('The call was overtaken; try again.');
}

/** What a refused row of a bulk call says of itself. */
export const faultsOf = (refusal: Refusal, pointer: string): Fault[] =>
  refusal.extras.errors?.map((fault) => ({ ...fault, pointer: fault.pointer.replace('/end_user', pointer) })) ?? [
    { pointer, code: refusal.code, detail: refusal.message },
  ];
