import { sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db.ts';
import { NOW } from '../schema/columns.ts';
import type { Cause } from '../schema/document-source.ts';

/**
 * Syncs have their own queue, as imports do: a due source is claimed by moving `due_at` to the end of a lease, each page
 * renews it, and nothing is stored without it. Which pages are left is in the rows of the pages, so the next worker
 * goes on where a killed one stopped. One host is read by one sync at a time, on all workers.
 */
const LEASE_SECONDS = 60;
/** Claims are rare and look at each other: one at a time. */
const CLAIM_LOCK = 0x70617274;

export type ClaimedSource = {
  org_id: string;
  id: string;
  agent_id: string;
  url: string;
  kind: 'page' | 'sitemap' | 'site';
  scope: string;
  sync: number;
  max_pages: number;
  lease: string;
};

export async function claimSource(db: Db, lease: string): Promise<ClaimedSource | null> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${CLAIM_LOCK})`);
    const found = await tx.execute<ClaimedSource & { begins: boolean }>(sql`
      WITH due AS MATERIALIZED (
        SELECT org_id, id, state <> 'running' AS begins FROM document_source s WHERE due_at <= ${sql.raw(NOW)}
          AND NOT EXISTS (SELECT 1 FROM document_source o WHERE o.host = s.host AND o.lease IS NOT NULL
            AND (o.org_id, o.id) <> (s.org_id, s.id))
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      UPDATE document_source s SET state = 'running', lease = ${lease}, updated_at = now(),
        due_at = now() + make_interval(secs => ${LEASE_SECONDS}),
        sync = s.sync + begins::int, started_at = CASE WHEN begins THEN now() ELSE started_at END,
        failures = CASE WHEN begins THEN 0 ELSE failures END, fault = CASE WHEN begins THEN NULL ELSE fault END,
        limit_reached = limit_reached AND NOT begins
      FROM due WHERE s.org_id = due.org_id AND s.id = due.id
      RETURNING s.org_id, s.id, s.agent_id, s.url, s.kind, s.scope, s.sync, s.max_pages, s.lease, due.begins`);
    const source = found.rows[0];
    if (!source) return null;
    if (source.begins) await beginSync(tx, source);
    return source;
  });
}

/** What was gone is looked for again only where a link still leads to it. */
async function beginSync(tx: Queryable, { org_id: orgId, id, url, kind, sync }: ClaimedSource): Promise<void> {
  await tx.execute(sql`DELETE FROM document_page WHERE org_id = ${orgId} AND source_id = ${id}
    AND state = 'fault' AND fault ->> 'code' = 'not_found' AND url <> ${url}`);
  await tx.execute(sql`UPDATE document_page SET attempts = 0 WHERE org_id = ${orgId} AND source_id = ${id}`);
  await tx.execute(sql`INSERT INTO document_page (org_id, source_id, url, is_sitemap, found)
    VALUES (${orgId}, ${id}, ${url}, ${kind === 'sitemap'}, ${sync})
    ON CONFLICT (org_id, source_id, url) DO UPDATE SET found = excluded.found`);
}

/** Renews the lease; false when the source is not this worker's any more. `answered`: whether the site did. */
export async function holdSource(tx: Queryable, held: ClaimedSource, answered: boolean | null): Promise<boolean> {
  const renewed = await tx.execute(sql`UPDATE document_source SET updated_at = now(),
      due_at = now() + make_interval(secs => ${LEASE_SECONDS}),
      failures = CASE WHEN ${answered}::boolean THEN 0 WHEN NOT ${answered}::boolean THEN failures + 1 ELSE failures END
    WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease} AND state = 'running'`);
  return renewed.rowCount === 1;
}

/** The first pages of a source may lead to another host; from then on that one is its own. */
export async function moveScope(tx: Queryable, held: ClaimedSource, scope: string): Promise<void> {
  await tx.execute(sql`UPDATE document_source SET scope = ${scope}, host = ${new URL(scope).host}
    WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease}`);
}

/** Leaves it to the next worker: now, so that other sources have a turn, or after a pause. */
export async function releaseSource(db: Queryable, held: ClaimedSource, inSeconds: number): Promise<void> {
  await db.execute(sql`UPDATE document_source SET lease = NULL, due_at = now() + make_interval(secs => ${inSeconds})
    WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease} AND state = 'running'`);
}

/** The end of a sync; its schedule says when the next one is due. */
export async function finishSync(tx: Queryable, held: ClaimedSource, fault: Cause | null): Promise<boolean> {
  const done = await tx.execute(sql`UPDATE document_source SET state = ${fault ? 'failed' : 'done'}, lease = NULL,
      fault = ${fault && JSON.stringify(fault)}::jsonb, finished_at = now(), updated_at = now(),
      due_at = CASE schedule WHEN 'daily' THEN now() + interval '1 day' WHEN 'weekly' THEN now() + interval '7 days' END
    WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease} AND state = 'running'`);
  return done.rowCount === 1;
}

export async function readFailures(db: Queryable, held: ClaimedSource): Promise<number> {
  const found = await db.execute<{ failures: number }>(
    sql`SELECT failures FROM document_source WHERE org_id = ${held.org_id} AND id = ${held.id}`,
  );
  return found.rows[0]?.failures ?? 0;
}
