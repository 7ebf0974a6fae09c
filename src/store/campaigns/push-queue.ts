import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import type { PushFault } from '../../../contract/dashboard/audience-pushes.ts';
import type { Db, Queryable } from '../db.ts';
import type { EndUserFilter } from '../end-users/search.ts';
import { namesOneOf } from '../imports/erase-files.ts';
import { NOW } from '../schema/columns.ts';

/**
 * The queue of pushes, as that of imports: a due one is claimed by moving `due_at` to the end of a lease, every finished
 * page renews the lease, and nothing is stored without it. When a worker dies, another takes over after the lease.
 */
export const PUSH_LEASE_SECONDS = 30;

export type ClaimedPush = {
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

export async function claimPush(pool: pg.Pool, lease: string): Promise<ClaimedPush | null> {
  const found = await pool.query<ClaimedPush>({
    name: 'claim-push',
    text: `WITH due AS MATERIALIZED (
        SELECT org_id, campaign_id, id FROM campaign_push WHERE due_at <= ${NOW}
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      UPDATE campaign_push p SET due_at = now() + make_interval(secs => ${PUSH_LEASE_SECONDS}), lease = $1,
        state = 'running'
      FROM due WHERE p.org_id = due.org_id AND p.campaign_id = due.campaign_id AND p.id = due.id
      RETURNING p.org_id, p.campaign_id, p.id, p.filter, p.file, p.after, p.done, p.request_id, p.lease`,
    values: [lease],
  });
  return found.rows[0] ?? null;
}

/** What one page of a push came to. */
export type PushedPage = {
  rows: number;
  accepted: number;
  duplicates: number;
  opted_out: number;
  blocked: number;
  invalid: number;
  faults: PushFault[];
};

const held = ({ org_id, campaign_id, id, lease }: ClaimedPush) => sql`
  org_id = ${org_id} AND campaign_id = ${campaign_id} AND id = ${id} AND lease = ${lease} AND state = 'running'`;

/**
 * Counts a page, once, and renews the lease: false when the push does not belong to this worker any more, or was
 * cancelled.
 */
export async function settlePage(
  db: Db,
  push: ClaimedPush,
  page: PushedPage,
  at: { before: number; after: string | null },
): Promise<boolean> {
  const settled = await db.execute(sql`UPDATE campaign_push SET done = done + ${page.rows}::int,
      accepted = accepted + ${page.accepted}::int, duplicates = duplicates + ${page.duplicates}::int,
      opted_out = opted_out + ${page.opted_out}::int, blocked = blocked + ${page.blocked}::int,
      invalid = invalid + ${page.invalid}::int, after = ${at.after},
      faults = (SELECT coalesce(jsonb_agg(f ORDER BY n), '[]') FROM jsonb_array_elements(
        faults || ${JSON.stringify(page.faults)}::jsonb) WITH ORDINALITY AS x(f, n) WHERE n <= ${MAX_NAMED}::int),
      due_at = now() + make_interval(secs => ${PUSH_LEASE_SECONDS})
    WHERE ${held(push)} AND done = ${at.before}`);
  return settled.rowCount === 1;
}

/** The end of a push. Whom it was to add is deleted with it. */
export async function finishPush(
  db: Db,
  push: ClaimedPush,
  fault: { code: string; detail: string } | null,
): Promise<void> {
  await db.execute(sql`UPDATE campaign_push SET state = ${fault ? 'failed' : 'done'},
      fault = ${fault && JSON.stringify(fault)}::jsonb, total = CASE WHEN ${fault === null} THEN done ELSE total END,
      due_at = NULL, lease = NULL, file = NULL, filter = NULL, after = NULL, finished_at = now()
    WHERE ${held(push)}`);
}

/** Leaves it to the next worker, now or after a delay. */
export async function releasePush(db: Db, push: ClaimedPush, inSeconds: number): Promise<void> {
  await db.execute(sql`UPDATE campaign_push SET due_at = now() + make_interval(secs => ${inSeconds}), lease = NULL,
    state = 'queued' WHERE ${held(push)}`);
}

const ERASED = JSON.stringify({
  code: 'person_erased',
  detail: 'A person whom it names was erased, so it was stopped. Start it again without this person.',
});

/** Stops pushes that name a person who is being erased, and forgets what was wrong with rows that do. */
export async function erasePushes(tx: Queryable, orgId: string, identifiers: readonly string[]): Promise<void> {
  if (identifiers.length === 0) return;
  const open = await tx.execute<{ id: string; said: string }>(sql`SELECT id, coalesce(file, filter::text) AS said
    FROM campaign_push WHERE org_id = ${orgId} AND due_at IS NOT NULL FOR UPDATE`);
  for (const { id, said } of open.rows) {
    if (!(await namesOneOf([Buffer.from(said)], identifiers))) continue;
    await tx.execute(sql`UPDATE campaign_push SET state = 'cancelled', fault = ${ERASED}::jsonb, due_at = NULL,
      lease = NULL, file = NULL, filter = NULL, after = NULL, finished_at = now() WHERE org_id = ${orgId} AND id = ${id}`);
  }
  await tx.execute(sql`UPDATE campaign_push SET faults = '[]' WHERE org_id = ${orgId} AND faults <> '[]' AND EXISTS (
    SELECT 1 FROM unnest(${sql.param([...identifiers])}::text[]) AS w(name)
    WHERE strpos(lower(faults::text), lower(w.name)) > 0)`);
}
