import { timingSafeEqual } from 'node:crypto';
import type pg from 'pg';
import { IDEMPOTENCY_RETENTION_HOURS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { StoredAnswer } from '../runs/accept-call.ts';

export type IdempotentCall = { orgId: string; idempotency: { scope: Buffer; request: Buffer } | null };

/** `refused`: the first call had another body. */
type RepeatOutcome = { kind: 'replayed'; answer: StoredAnswer } | { kind: 'refused'; refusal: Refusal };

/** The response to the first call with this Idempotency-Key. Null on the first call with the key. */
export async function readStoredAnswer(
  client: pg.Pool | pg.PoolClient,
  { orgId, idempotency }: IdempotentCall,
): Promise<RepeatOutcome | null> {
  if (idempotency === null) return null;
  const found = await client.query<StoredAnswer & { request: Buffer }>({
    name: 'read-stored-answer',
    text: `SELECT request, status, location, body FROM idempotency
      WHERE org_id = $1 AND scope = $2`,
    values: [orgId, idempotency.scope],
  });
  const row = found.rows[0];
  if (!row) return null;
  if (!timingSafeEqual(row.request, idempotency.request))
    return { kind: 'refused', refusal: new Refusal('idempotency_mismatch') };
  return { kind: 'replayed', answer: { status: row.status, location: row.location, body: row.body } };
}

/**
 * The refusal may be an effect of the call's own first attempt or of a later change, so a repeated call is not refused.
 */
export const refusedOrReplayed = async (
  client: pg.PoolClient,
  call: IdempotentCall,
  refusal: Refusal,
): Promise<RepeatOutcome> => (await readStoredAnswer(client, call)) ?? { kind: 'refused', refusal };

/**
 * A call that waited and then got status 200 is replayed with status 200, unless a person was erased from its response.
 */
export async function replaceStoredAnswer(
  client: pg.Pool | pg.PoolClient,
  { orgId, idempotency }: IdempotentCall,
  before: Pick<StoredAnswer, 'body'>,
  answer: StoredAnswer,
): Promise<void> {
  if (idempotency === null) return;
  await client.query({
    name: 'replace-stored-answer',
    text: 'UPDATE idempotency SET status = $3, location = $4, body = $5 WHERE org_id = $1 AND scope = $2 AND body = $6',
    values: [orgId, idempotency.scope, answer.status, answer.location, answer.body, before.body],
  });
}

/** Removes responses older than 24 hours, at most `limit` rows, so that no pass takes long. */
export async function forgetStoredAnswers(client: pg.Pool, limit: number): Promise<number> {
  const gone = await client.query(
    `DELETE FROM idempotency WHERE (org_id, scope) IN (
      SELECT org_id, scope FROM idempotency
        WHERE created_at < now() - make_interval(hours => ${IDEMPOTENCY_RETENTION_HOURS}) LIMIT $1)`,
    [limit],
  );
  return gone.rowCount ?? 0;
}
