import { Refusal } from '../../../contract/problems.ts';
import type { StoredAnswer } from '../runs/accept-call.ts';
import { type IdempotentCall, readStoredAnswer } from './stored-answer.ts';
import type { Db, Queryable } from '../db.ts';
import { idempotency } from '../schema/run.ts';
import { and, eq } from 'drizzle-orm';

/**
 * Calls in progress on this node. A second call with the same Idempotency-Key is refused and must wait for the first
 * call.
 */
export type IdempotencyGuard = <T>(call: IdempotentCall, work: () => Promise<T>) => Promise<T>;

export function createIdempotencyGuard(): IdempotencyGuard {
  const underWay = new Set<string>();
  return async (call, work) => {
    if (call.idempotency === null) return work();
    const name = `${call.orgId} ${call.idempotency.scope.toString('base64')}`;
    if (underWay.has(name)) throw new Refusal('idempotency_in_progress');
    underWay.add(name);
    try {
      return await work();
    } finally {
      underWay.delete(name);
    }
  };
}

type Work = (tx: Queryable) => Promise<StoredAnswer>;
/**
 * Runs a transaction and returns the result of its work. The function is the transaction function of the database, or a
 * wrapper around it.
 */
type Transact = (work: (tx: Queryable) => Promise<StoredAnswer | null>) => Promise<StoredAnswer | null>;

/**
 * Runs `work` once per Idempotency-Key. The work's effect and response commit together, and a repeated call gets the
 * stored response. If another node has the same call in progress, the unique key makes this call wait.
 */
export async function once(
  db: Db,
  call: IdempotentCall,
  work: Work,
  transact: Transact = (inside) => db.transaction(inside),
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  const answer = await transact((tx) => first(tx, call, work));
  if (answer !== null) return { answer, replayed: false };
  const stored = await readStoredAnswer(db.$client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind !== 'replayed') throw new Refusal('unavailable');
  return { answer: stored.answer, replayed: true };
}

/** Does the work of the first call. Null: the key was used before, so the work is not done. */
async function first(tx: Queryable, call: IdempotentCall, work: Work): Promise<StoredAnswer | null> {
  if (call.idempotency === null) return work(tx);
  const { scope, request } = call.idempotency;
  const taken = await tx
    .insert(idempotency)
    .values({ orgId: call.orgId, scope, request, status: 0, body: '' })
    .onConflictDoNothing()
    .returning({ orgId: idempotency.orgId });
  if (taken.length === 0) return null;
  const done = await work(tx);
  await tx
    .update(idempotency)
    .set(done)
    .where(and(eq(idempotency.orgId, call.orgId), eq(idempotency.scope, scope)));
  return done;
}
