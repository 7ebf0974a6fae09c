import { Refusal } from '../../contract/problems.ts';
import type { StoredAnswer } from './accept/call.ts';
import { type IdempotentCall, readStoredAnswer } from './accept/stored-answer.ts';
import type { Db, Queryable } from './db.ts';
import { idempotency } from './schema/run.ts';
import { and, eq } from 'drizzle-orm';

/** Calls under way on this node: the second one with the same Idempotency-Key is told to wait for the first. */
export type IdempotencyGuard = <T>(call: IdempotentCall, work: () => Promise<T>) => Promise<T>;

export function createIdempotencyGuard(): IdempotencyGuard {
  const underWay = new Set<string>();
  return async (call, work) => {
    if (call.idempotency === null) return work();
    const name = `${call.orgId} ${call.idempotency.scope.toString('base64')}`;
    if (underWay.has(name))
      throw new Refusal('idempotency_in_progress', undefined, { headers: { 'Retry-After': '1' } });
    underWay.add(name);
    try {
      return await work();
    } finally {
      underWay.delete(name);
    }
  };
}

/**
 * Does `work` once per Idempotency-Key: its effect and its answer commit together, a repetition is answered with what
 * was stored. Another node that is at the same call is waited for by the unique key.
 */
export async function once(
  db: Db,
  call: IdempotentCall,
  work: (tx: Queryable) => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  if (call.idempotency === null) return { answer: await db.transaction(work), replayed: false };
  const { scope, request } = call.idempotency;
  const answer = await db.transaction(async (tx) => {
    const first = await tx
      .insert(idempotency)
      .values({ orgId: call.orgId, scope, request, status: 0, body: '' })
      .onConflictDoNothing()
      .returning({ orgId: idempotency.orgId });
    if (first.length === 0) return null;
    const done = await work(tx);
    await tx
      .update(idempotency)
      .set(done)
      .where(and(eq(idempotency.orgId, call.orgId), eq(idempotency.scope, scope)));
    return done;
  });
  if (answer !== null) return { answer, replayed: false };
  const stored = await readStoredAnswer(db.$client, call);
  if (stored?.kind === 'refused') throw stored.refusal;
  if (stored?.kind !== 'replayed') throw new Refusal('unavailable', undefined, { headers: { 'Retry-After': '1' } });
  return { answer: stored.answer, replayed: true };
}
