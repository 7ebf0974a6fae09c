import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { idempotency } from '../schema/run.ts';

type Erased = { endUserId: string; recipientIds: readonly string[]; approvalIds: readonly string[] };

/**
 * Removes a person from the responses that are stored for Idempotency-Keys. The rows stay, because a repeated call must
 * still act only once. The stored response of an erased person keeps only the ID of the record. Reads one day of stored
 * responses of one organization. Erasures are rare, and an index on the text of responses would slow every call.
 */
export async function scrubStoredAnswers(tx: Queryable, orgId: string, erased: Erased): Promise<void> {
  const ids = [erased.endUserId, ...erased.recipientIds, ...erased.approvalIds];
  const found = await tx
    .select({ scope: idempotency.scope, body: idempotency.body })
    .from(idempotency)
    .where(
      and(
        eq(idempotency.orgId, orgId),
        sql`EXISTS (SELECT 1 FROM unnest(${sql.param(ids)}::text[]) AS w(id)
          WHERE strpos(${idempotency.body}, w.id) > 0)`,
      ),
    );
  for (const { scope, body } of found) {
    await tx
      .update(idempotency)
      .set({ body: scrubbed(body, new Set(erased.recipientIds)) })
      .where(and(eq(idempotency.orgId, orgId), eq(idempotency.scope, scope)));
  }
}

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
