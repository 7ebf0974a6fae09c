import { sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db.ts';
import { leasedQueue } from '../queue/leased-queue.ts';
import type { Cause } from '../schema/document-source.ts';

/**
 * Each finished page renews the lease of the source. The rows of the pages show which pages are left, so the next
 * worker continues where a killed worker stopped. Only one sync at a time reads one host, on all workers.
 */
const QUEUE = leasedQueue('document_source', ['org_id', 'id']);
/** Claims of sites are rare and depend on each other, so this lock allows one claim at a time. */
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

const CLAIM = QUEUE.claimOne<ClaimedSource & { begins: boolean }>({
  due: QUEUE.dueFirst({
    and: `AND NOT EXISTS (SELECT 1 FROM document_source o WHERE o.host = q.host AND o.lease IS NOT NULL
      AND o.due_at > now() AND (o.org_id, o.id) <> (q.org_id, q.id))`,
    more: `q.state <> 'running' AS begins`,
  }),
  set: `state = 'running', updated_at = now(), sync = q.sync + begins::int,
    started_at = CASE WHEN begins THEN (SELECT now()) ELSE q.started_at END,
    failures = CASE WHEN begins THEN 0 ELSE q.failures END, fault = CASE WHEN begins THEN NULL ELSE q.fault END,
    limit_reached = q.limit_reached AND NOT begins`,
  returning: 'q.org_id, q.id, q.agent_id, q.url, q.kind, q.scope, q.sync, q.max_pages, q.lease, due.begins',
});

export async function claimSource(db: Db, lease: string): Promise<ClaimedSource | null> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${CLAIM_LOCK})`);
    const source = await CLAIM(tx, lease);
    if (source?.begins) await beginSync(tx, source);
    return source;
  });
}

/** A sync forgets the pages that did not exist, so it requests such a page only if a link still leads to it. */
async function beginSync(tx: Queryable, { org_id: orgId, id, url, kind, sync }: ClaimedSource): Promise<void> {
  await tx.execute(sql`DELETE FROM document_page WHERE org_id = ${orgId} AND source_id = ${id}
    AND state = 'fault' AND fault ->> 'code' = 'not_found' AND url <> ${url}`);
  await tx.execute(sql`UPDATE document_page SET attempts = 0 WHERE org_id = ${orgId} AND source_id = ${id}`);
  await tx.execute(sql`INSERT INTO document_page (org_id, source_id, url, is_sitemap, found)
    VALUES (${orgId}, ${id}, ${url}, ${kind === 'sitemap'}, ${sync})
    ON CONFLICT (org_id, source_id, url) DO UPDATE SET found = excluded.found`);
}

/**
 * Renews the lease. Returns false if the source no longer belongs to this worker. `answered`: whether the site
 * answered.
 */
export async function holdSource(tx: Queryable, source: ClaimedSource, answered: boolean | null): Promise<boolean> {
  const failures = sql`failures = CASE WHEN ${answered}::boolean THEN 0
    WHEN NOT ${answered}::boolean THEN failures + 1 ELSE failures END`;
  return QUEUE.renew(tx, source, sql`updated_at = now(), ${failures}`);
}

/**
 * The first pages of a source may lead to another host. After a redirect of a first page, the source uses the new host.
 */
export async function moveScope(tx: Queryable, source: ClaimedSource, scope: string): Promise<void> {
  await tx.execute(sql`UPDATE document_source SET scope = ${scope}, host = ${new URL(scope).host}
    WHERE ${QUEUE.underLease(source)}`);
}

/** Releases the source for the next worker, either immediately, so that other sources have a turn, or after a pause. */
export async function releaseSource(db: Queryable, source: ClaimedSource, inSeconds: number): Promise<void> {
  await QUEUE.release(db, source, inSeconds);
}

/** Ends a sync. The schedule of the source decides when the next sync is due. */
export async function finishSync(tx: Queryable, source: ClaimedSource, fault: Cause | null): Promise<boolean> {
  const end = sql`state = ${fault ? 'failed' : 'done'}, fault = ${fault && JSON.stringify(fault)}::jsonb,
    finished_at = now(), updated_at = now()`;
  const next = sql`CASE schedule WHEN 'daily' THEN (SELECT now() + interval '1 day')
    WHEN 'weekly' THEN (SELECT now() + interval '7 days') END`;
  return QUEUE.finish(tx, source, end, next);
}

export async function readFailures(db: Queryable, source: ClaimedSource): Promise<number> {
  const found = await db.execute<{ failures: number }>(
    sql`SELECT failures FROM document_source WHERE org_id = ${source.org_id} AND id = ${source.id}`,
  );
  return found.rows[0]?.failures ?? 0;
}
