import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { idempotency } from '../schema/run.ts';

/**
 * Removes a person from the responses that are stored for Idempotency-Keys. The rows stay, because a repeated call must
 * still act only once. The stored response of an erased person keeps only the ID of the record. Erasures are rare, and
 * an index on the text of responses would slow every call. An organization may have millions of responses of one day.
 * They are read in pages before the transaction of the erasure. The transaction reads only the responses since then.
 */
export type Erased = { endUserId: string; recipientIds: readonly string[]; approvalIds: readonly string[] };

/** The number of responses that one statement reads. A statement takes about 0.1 s. */
const PAGE = 20_000;
/** A call that began earlier has stored its response. The time of a response is the time at which its call began. */
const LONGEST_CALL_MS = 10 * 60_000;

/** Removes the person from all stored responses. Returns the time since which new responses may contain the person. */
export async function scrubInPages(db: Queryable, orgId: string, erased: Erased, size = PAGE): Promise<Date> {
  const since = new Date(Date.now() - LONGEST_CALL_MS);
  for (let after: Buffer | undefined = Buffer.alloc(0); after !== undefined;) {
    const { rows }: { rows: { scope: Buffer; body: string | null }[] } = await db.execute(sql`
      SELECT scope, CASE WHEN named THEN body END AS body FROM (
        SELECT scope, body, ${isNamed(sql`body`, erased)} AS named, lead(scope) OVER (ORDER BY scope) IS NULL AS is_last
        FROM (SELECT scope, body FROM idempotency WHERE org_id = ${orgId} AND scope > ${sql.param(after)}
          ORDER BY scope LIMIT ${size}) page) r
      WHERE named OR is_last ORDER BY scope`);
    for (const { scope, body } of rows) if (body !== null) await scrub(db, orgId, { scope, body }, erased);
    after = rows.at(-1)?.scope;
  }
  return since;
}

/** Removes the person from the responses since this time. Null: from all responses. */
export async function scrubStoredAnswers(
  tx: Queryable,
  orgId: string,
  erased: Erased,
  since: Date | null,
): Promise<void> {
  const found = await tx
    .select({ scope: idempotency.scope, body: idempotency.body })
    .from(idempotency)
    .where(
      and(
        eq(idempotency.orgId, orgId),
        since === null ? undefined : gt(idempotency.createdAt, since),
        isNamed(sql`${idempotency.body}`, erased),
      ),
    );
  for (const answer of found) await scrub(tx, orgId, answer, erased);
}

const isNamed = (body: SQL, { endUserId, recipientIds, approvalIds }: Erased): SQL =>
  sql`EXISTS (SELECT 1 FROM unnest(${sql.param([endUserId, ...recipientIds, ...approvalIds])}::text[]) AS w(id)
    WHERE strpos(${body}, w.id) > 0)`;

const scrub = (
  tx: Queryable,
  orgId: string,
  { scope, body }: { scope: Buffer; body: string },
  { recipientIds }: Erased,
): Promise<unknown> =>
  tx
    .update(idempotency)
    .set({ body: scrubbed(body, new Set(recipientIds)) })
    .where(and(eq(idempotency.orgId, orgId), eq(idempotency.scope, scope)));

type Answer = { id?: unknown; results?: { recipient_id?: string; ref?: unknown }[] };

function scrubbed(body: string, recipientIds: ReadonlySet<string>): string {
  const answer = JSON.parse(body) as Answer;
  // In a response about many people, only the caller's own ID (`ref`) could identify a person.
  if (Array.isArray(answer.results)) {
    for (const result of answer.results)
      if (result.recipient_id !== undefined && recipientIds.has(result.recipient_id)) result.ref = null;
    return JSON.stringify(answer);
  }
  return JSON.stringify({ id: answer.id ?? null, erased: true });
}
