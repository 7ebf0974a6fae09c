import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { document } from '../schema/agent.ts';
import { documentPage, documentSource } from '../schema/document-source.ts';

export type SourceCounts = { known: number; done: number; read: number; faults: number };
export type SourceRow = typeof documentSource.$inferSelect & SourceCounts;
export type PageRow = typeof documentPage.$inferSelect;

const pages = (what: string) => sql<number>`(SELECT count(*)::int FROM document_page p
  WHERE p.org_id = document_source.org_id AND p.source_id = document_source.id AND ${sql.raw(what)})`;

const rows = (db: Queryable) =>
  db
    .select({
      row: documentSource,
      known: pages('NOT p.is_sitemap'),
      done: pages('NOT p.is_sitemap AND p.sync = document_source.sync'),
      read: pages('p.document_id IS NOT NULL'),
      faults: pages("p.state = 'fault'"),
    })
    .from(documentSource);
const joined = ({ row, ...counts }: { row: typeof documentSource.$inferSelect } & SourceCounts): SourceRow => ({
  ...row,
  ...counts,
});

const one = (orgId: string, agentId: string, id: string) =>
  and(eq(documentSource.orgId, orgId), eq(documentSource.agentId, agentId), eq(documentSource.id, id));

export async function insertSource(
  db: Queryable,
  orgId: string,
  row: Pick<SourceRow, 'id' | 'agentId' | 'url' | 'kind' | 'scope' | 'host' | 'schedule' | 'maxPages' | 'createdBy'>,
): Promise<void> {
  await db.insert(documentSource).values({ orgId, ...row, dueAt: sql`now()` });
}

export async function readSource(db: Queryable, orgId: string, agentId: string, id: string): Promise<SourceRow | null> {
  const [found] = await rows(db).where(one(orgId, agentId, id));
  return found ? joined(found) : null;
}

export async function listSources(
  db: Queryable,
  orgId: string,
  agentId: string,
  { limit, after }: PageRequest,
): Promise<PageOf<SourceRow>> {
  const found = await rows(db)
    .where(
      and(
        eq(documentSource.orgId, orgId),
        eq(documentSource.agentId, agentId),
        behind(documentSource.createdAt, documentSource.id, after),
      ),
    )
    .orderBy(...newestFirst(documentSource.createdAt, documentSource.id))
    .limit(limit + 1);
  return pageOf(found.map(joined), limit);
}

export async function countSources(db: Queryable, orgId: string): Promise<number> {
  const found = await db.select({ many: count() }).from(documentSource).where(eq(documentSource.orgId, orgId));
  return found[0]!.many;
}

export async function updateSource(
  db: Queryable,
  orgId: string,
  agentId: string,
  id: string,
  changes: { schedule?: string; maxPages?: number; dueAt?: Date | null },
): Promise<void> {
  await db
    .update(documentSource)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(orgId, agentId, id));
}

/** Returns false if a sync already waits or runs. */
export async function queueSync(db: Queryable, orgId: string, agentId: string, id: string): Promise<boolean> {
  const queued = await db
    .update(documentSource)
    .set({ state: 'queued', dueAt: sql`now()`, lease: null, updatedAt: sql`now()` })
    .where(and(one(orgId, agentId, id), sql`state NOT IN ('queued', 'running')`));
  return queued.rowCount === 1;
}

/** Stops a sync at its current position. Pages that were read stay. Returns false if no sync is in progress. */
export async function cancelSync(
  db: Queryable,
  orgId: string,
  agentId: string,
  id: string,
  nextAt: Date | null,
): Promise<boolean> {
  const cancelled = await db
    .update(documentSource)
    .set({ state: 'cancelled', dueAt: nextAt, lease: null, finishedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(one(orgId, agentId, id), sql`state IN ('queued', 'running')`));
  return cancelled.rowCount === 1;
}

/** Deletes the source with its pages and their documents. */
export async function deleteSource(db: Queryable, orgId: string, agentId: string, id: string): Promise<void> {
  await db.delete(document).where(and(eq(document.orgId, orgId), eq(document.sourceId, id)));
  await db.delete(documentSource).where(one(orgId, agentId, id));
}

export async function deleteSourcesOfAgent(db: Queryable, orgId: string, agentId: string): Promise<void> {
  await db.delete(documentSource).where(and(eq(documentSource.orgId, orgId), eq(documentSource.agentId, agentId)));
}

/** Lists the pages after a given page, in the order of their addresses. */
export async function listPages(
  db: Queryable,
  orgId: string,
  sourceId: string,
  { state, after, limit }: { state?: string | undefined; after: string | null; limit: number },
): Promise<PageOf<PageRow>> {
  const found = await db
    .select()
    .from(documentPage)
    .where(
      and(
        eq(documentPage.orgId, orgId),
        eq(documentPage.sourceId, sourceId),
        state === undefined ? undefined : eq(documentPage.state, state),
        after === null ? undefined : sql`${documentPage.url} COLLATE "C" > ${after}`,
      ),
    )
    .orderBy(asc(sql`${documentPage.url} COLLATE "C"`))
    .limit(limit + 1);
  return pageOf(found, limit);
}
