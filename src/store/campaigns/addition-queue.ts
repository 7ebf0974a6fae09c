import { sql } from 'drizzle-orm';
import type { AdditionFault } from '../../../contract/dashboard/additions.ts';
import type { Db, Queryable } from '../db.ts';
import type { EndUserFilter } from '../end-users/search.ts';
import { namesOneOf } from '../imports/erase-files.ts';
import { leasedQueue } from '../queue/leased-queue.ts';

/** Each page renews the lease. */
const QUEUE = leasedQueue('campaign_push', ['org_id', 'campaign_id', 'id']);

export type ClaimedAddition = {
  org_id: string;
  campaign_id: string;
  id: string;
  filter: EndUserFilter | null;
  file: string | null;
  after: string | null;
  done: number;
  request_id: string | null;
  lease: string;
};

export const claimAddition = QUEUE.claimOne<ClaimedAddition>({
  set: `state = 'running'`,
  returning: 'q.org_id, q.campaign_id, q.id, q.filter, q.file, q.after, q.done, q.request_id, q.lease',
});

/** Renews the lease. Returns false if the addition was cancelled or belongs to another worker. */
export const renewAddition = (db: Db, addition: ClaimedAddition): Promise<boolean> =>
  QUEUE.renew(db, addition, sql`state = 'running'`);

/** The result of one page of an addition. `next`: the last person of a page that is not the last page of a filter. */
export type AdditionPage = {
  rows: number;
  accepted: number;
  duplicates: number;
  opted_out: number;
  blocked: number;
  invalid: number;
  faults: AdditionFault[];
  next?: string | null;
};

/** Ends an addition. The list of people to add is deleted with the addition. */
export async function finishAddition(
  db: Db,
  addition: ClaimedAddition,
  fault: { code: string; detail: string } | null,
): Promise<void> {
  const end = sql`state = ${fault ? 'failed' : 'done'}, fault = ${fault && JSON.stringify(fault)}::jsonb,
    total = CASE WHEN ${fault === null} THEN done ELSE total END, file = NULL, filter = NULL, after = NULL,
    finished_at = now()`;
  await QUEUE.finish(db, addition, end);
}

/** Releases the addition for the next worker, immediately or after a delay. */
export async function releaseAddition(db: Db, addition: ClaimedAddition, inSeconds: number): Promise<void> {
  await QUEUE.release(db, addition, inSeconds, sql`state = 'queued'`);
}

const ERASED = JSON.stringify({
  code: 'person_erased',
  detail: 'A person in it was erased, so it was stopped. Start it again without this person.',
});

/** Filters and JSON Lines may contain escapes, such as a `/` that is written as `\/`. CSV never begins with `{`. */
const unescaped = (audience: string): string =>
  audience.trimStart().startsWith('{')
    ? audience.replaceAll(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_, code: string | undefined, letter: string) =>
        code === undefined ? letter : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : audience;

/** Stops additions that name a person who is being erased, and deletes the faults of rows that name this person. */
export async function eraseAdditions(tx: Queryable, orgId: string, identifiers: readonly string[]): Promise<void> {
  if (identifiers.length === 0) return;
  const open = await tx.execute<{
    id: string;
    audience: string;
  }>(sql`SELECT id, coalesce(file, filter::text) AS audience
    FROM campaign_push WHERE org_id = ${orgId} AND due_at IS NOT NULL FOR UPDATE`);
  for (const { id, audience } of open.rows) {
    if (!(await namesOneOf([Buffer.from(unescaped(audience))], identifiers))) continue;
    await tx.execute(sql`UPDATE campaign_push SET state = 'cancelled', fault = ${ERASED}::jsonb, due_at = NULL,
      lease = NULL, file = NULL, filter = NULL, after = NULL, finished_at = now() WHERE org_id = ${orgId} AND id = ${id}`);
  }
  await tx.execute(sql`UPDATE campaign_push SET faults = '[]' WHERE org_id = ${orgId} AND faults <> '[]' AND EXISTS (
    SELECT 1 FROM unnest(${sql.param([...identifiers])}::text[]) AS w(name)
    WHERE strpos(lower(faults::text), lower(w.name)) > 0)`);
}
