import type pg from 'pg';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { whyStopped } from '../fence/fence.ts';
import type { EndUserFields } from './end-user-fields.ts';
import { EndUserBook } from './resolve.ts';
import { LATER } from '../queue/later.ts';
import type { EndUserRow } from './end-user-row.ts';
import { readStoredAnswer } from '../idempotency/stored-answer.ts';
import { createWriteQueue, writeTogether } from '../queue/write-queue.ts';
import type { Db } from '../db.ts';
import { type PlannedUpsert, type WrittenPerson, writeEndUsers } from './write.ts';
import type { Suppression } from './suppression.ts';

/**
 * Creates and changes people with high throughput. Calls that arrive together are planned and written together, as
 * trigger calls are (src/store/runs/accept.ts). A bulk call is planned as one call, because its rows may refer to the
 * same person.
 */
export type UpsertCall = {
  orgId: string;
  keyId: string | null;
  /** The network address of the key's caller. The fence checks the address together with the key. */
  from: string | null;
  /**
   * The kind `upsert` creates or changes. The kind `create` only creates. The kind `bulk` upserts every row, or no row
   * when the call is refused.
   */
  mode: 'upsert' | 'create' | 'bulk';
  people: EndUserFields[];
  idempotency: { scope: Buffer; request: Buffer } | null;
  /**
   * Creates the response that is stored together with the effect. The function is called before the write, and only for
   * calls with an Idempotency-Key.
   */
  answer?(outcomes: readonly PersonOutcome[]): { status: number; body: string };
  import?: PlannedUpsert['import'];
};

export type PersonOutcome =
  | { kind: 'created' | 'updated'; row: EndUserRow; written: WrittenPerson | null }
  | { kind: 'refused'; refusal: Refusal };

export type UpsertOutcome =
  | { kind: 'written'; people: PersonOutcome[]; answer: { status: number; body: string } | null }
  | { kind: 'replayed'; answer: { status: number; body: string } };

export type EndUserQueue = { upsert(call: UpsertCall): Promise<UpsertOutcome>; drain(): Promise<void> };

const TRIES = 12;
/**
 * If two rows of one call swap an identifier, the rows conflict in its unique index, although each row alone does not.
 */
const TRADED = '23505';

export function createEndUserQueue(db: Db, suppression: Suppression | null = null): EndUserQueue {
  const send = (sent: UpsertCall[]): Promise<BatchOutcome[]> =>
    writeTogether(db.$client, sent, (calls) => ({
      tries: TRIES,
      races: calls.length === 1 ? [TRADED] : [],
      plan: (client) => planBatch(client, calls, suppression),
      write: (client, batch) => writeBatch(client, calls, batch),
    }));
  const queue = createWriteQueue<UpsertCall, UpsertOutcome>(db.$client, send);
  return {
    upsert: async (call) => {
      if (call.mode !== 'bulk') return queue.add(call);
      // A large call is written alone, because it would delay the other calls of its batch.
      const [outcome] = await send([call]);
      if (outcome instanceof Error) throw outcome;
      return outcome as UpsertOutcome;
    },
    drain: () => queue.drain(),
  };
}

type BatchOutcome = UpsertOutcome | typeof LATER | Error;

/**
 * Plans a bulk call without writing, and returns its result. The result includes conflicts, and rows that refer to the
 * same person.
 */
export async function planEndUsers(
  db: Db,
  orgId: string,
  people: EndUserFields[],
  suppression: Suppression | null,
): Promise<PersonOutcome[]> {
  const named = people.map((endUser) => ({ orgId, endUser }));
  const book = await EndUserBook.read(db.$client, named, suppression);
  const planned = planCall(
    { orgId, keyId: null, from: null, mode: 'bulk', people, idempotency: null },
    book,
    new Date(),
    true,
  );
  if (planned === LATER || planned instanceof Refusal) throw new Error('a bulk call is planned as one');
  return planned.people;
}

type Planned = { call: UpsertCall; people: PersonOutcome[]; plan: PlannedUpsert };

type Plan = Planned | Refusal | typeof LATER;
type Batch = { now: Date; plans: Plan[] };

async function planBatch(client: pg.PoolClient, calls: UpsertCall[], suppression: Suppression | null): Promise<Batch> {
  const named = calls.flatMap(({ orgId, people }) => people.map((endUser) => ({ orgId, endUser })));
  const now = new Date();
  const book = await EndUserBook.read(client, named, suppression);
  // Calls that succeed or fail together may add to each other's data. Many updates of one person fit into one batch.
  const together = calls.every((call) => call.keyId === calls[0]!.keyId && call.idempotency === null);
  return { now, plans: calls.map((call) => planCall(call, book, now, together || calls.length === 1)) };
}

async function writeBatch(client: pg.PoolClient, calls: UpsertCall[], { now, plans }: Batch): Promise<BatchOutcome[]> {
  const planned = plans.filter((entry): entry is Planned => typeof entry === 'object' && 'plan' in entry);
  const rows = planned.map(({ plan }) => plan);
  const written = rows.length > 0 ? await writeEndUsers(client, rows, now) : [];
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

function planCall(call: UpsertCall, book: EndUserBook, now: Date, together: boolean): Plan {
  const people: PersonOutcome[] = [];
  for (const fields of call.people) {
    const taken = call.mode === 'create' ? book.make(call.orgId, fields) : book.take(call.orgId, fields, { together });
    if (taken === LATER) return LATER;
    if (taken instanceof Refusal) {
      if (call.mode !== 'bulk') return taken;
      people.push({ kind: 'refused', refusal: taken });
    } else {
      const { row } = taken;
      const isNew = row.updated_at === null && row.uses === 1;
      if (row.created_at === null) row.created_at = now;
      people.push({ kind: isNew ? 'created' : 'updated', row, written: null });
    }
  }
  const rows = [...new Set(people.flatMap((one) => (one.kind === 'refused' ? [] : one.row)))];
  const { orgId, keyId, from, idempotency } = call;
  const answer = call.answer?.(people) ?? null;
  return { call, people, plan: { orgId, keyId, from, idempotency, answer, rows, import: call.import } };
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

/** A call may conflict with the effect of its own first attempt. */
async function refusedOrReplayed(client: pg.PoolClient, call: UpsertCall, refusal: Refusal): Promise<UpsertOutcome> {
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'replayed') return { kind: 'replayed', answer: stored.answer };
  throw stored?.kind === 'refused' ? stored.refusal : refusal;
}

/** Either the Idempotency-Key was used before, or the fence stopped the call. */
async function whyNotWritten(client: pg.PoolClient, call: UpsertCall): Promise<UpsertOutcome> {
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind === 'replayed') return { kind: 'replayed', answer: stored.answer };
  throw await whyStopped(client, {}, call);
}

/** The faults of a refused row of a bulk call. */
export const faultsOf = (refusal: Refusal, pointer: string): Fault[] =>
  refusal.extras.errors?.map((fault) => ({ ...fault, pointer: fault.pointer.replace('/end_user', pointer) })) ?? [
    { pointer, code: refusal.code, detail: refusal.message },
  ];
