import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { EMBEDDINGS } from '../embeddings/queue.ts';
import { document } from '../schema/agent.ts';
import { type Cause, documentPage } from '../schema/document-source.ts';
import { QUESTIONS } from '../written-questions.ts';
import type { ClaimedSource } from './queue.ts';
import type { PageRow } from './read.ts';

const of = ({ org_id: orgId, id }: ClaimedSource, url: string) =>
  and(eq(documentPage.orgId, orgId), eq(documentPage.sourceId, id), eq(documentPage.url, url));

/**
 * The next page that this sync has not read. Pages that failed before come last. For a sitemap, this function reads
 * only the pages that the sitemap lists.
 */
export async function nextPage(db: Queryable, source: ClaimedSource): Promise<PageRow | null> {
  const rows = await db
    .select()
    .from(documentPage)
    .where(
      and(
        eq(documentPage.orgId, source.org_id),
        eq(documentPage.sourceId, source.id),
        sql`sync < ${source.sync}`,
        source.kind === 'sitemap' ? sql`found = ${source.sync}` : undefined,
      ),
    )
    .orderBy(sql`is_sitemap DESC, attempts, created_at, url`)
    .limit(1);
  return rows[0] ?? null;
}

export async function readPage(db: Queryable, source: ClaimedSource, url: string): Promise<PageRow | null> {
  const rows = await db.select().from(documentPage).where(of(source, url));
  return rows[0] ?? null;
}

/** True if this sync has received only redirects so far. */
export async function isStart(db: Queryable, source: ClaimedSource): Promise<boolean> {
  const found = await db.execute<{ many: number; others: number }>(sql`SELECT count(*)::int AS many,
      count(*) FILTER (WHERE state <> 'redirect')::int AS others
    FROM document_page WHERE org_id = ${source.org_id} AND source_id = ${source.id} AND sync = ${source.sync}`);
  const { many, others } = found.rows[0]!;
  return others === 0 && many < MAX_FIRST_REDIRECTS;
}
const MAX_FIRST_REDIRECTS = 5;

/**
 * Adds the addresses in the given order, up to the limit of the source. Pages that a sitemap no longer lists stay until
 * the end of the sync. They do not count, so that the new pages are read first. All rows together are at most twice
 * the limit.
 */
export async function addPages(
  tx: Queryable,
  source: ClaimedSource,
  urls: readonly string[],
  { isSitemap = false, most = source.max_pages } = {},
): Promise<void> {
  if (urls.length === 0) return;
  const { org_id: orgId, id, kind, sync } = source;
  const list = sql.param([...urls]);
  const rows = sql`document_page WHERE org_id = ${orgId} AND source_id = ${id} AND is_sitemap = ${isSitemap}`;
  const counts = kind === 'sitemap' ? sql`found = ${sync}` : sql`true`;
  await tx.execute(sql`UPDATE document_page SET found = ${sync}
    WHERE org_id = ${orgId} AND source_id = ${id} AND url = ANY (${list}::text[])`);
  const excess = kind === 'sitemap' ? await dropExcess(tx, source, rows, most) : 0;
  const added = await tx.execute<{ left: number }>(sql`
    WITH new AS (
      SELECT u.url, u.n FROM unnest(${list}::text[]) WITH ORDINALITY u (url, n) WHERE NOT EXISTS (
        SELECT 1 FROM document_page p WHERE p.org_id = ${orgId} AND p.source_id = ${id} AND p.url = u.url)
    ), room AS (
      SELECT greatest(0, least(${most}::int - count(*) FILTER (WHERE ${counts}), 2 * ${most}::int - count(*)))::int AS n
      FROM ${rows}
    ), put AS (
      INSERT INTO document_page (org_id, source_id, url, is_sitemap, found)
      SELECT ${orgId}, ${id}, url, ${isSitemap}, ${sync} FROM new ORDER BY n LIMIT (SELECT n FROM room)
      ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT ((SELECT count(*) FROM new) - (SELECT count(*) FROM put))::int AS left`);
  if (added.rows[0]!.left + excess === 0) return;
  await tx.execute(sql`UPDATE document_source SET limit_reached = true WHERE org_id = ${orgId} AND id = ${id}`);
}

/** If a sitemap lists known pages after new pages of another sitemap, the newest unread pages exceed the limit. */
async function dropExcess(tx: Queryable, { org_id: orgId, id, sync }: ClaimedSource, rows: SQL, most: number) {
  const dropped = await tx.execute(sql`DELETE FROM document_page WHERE org_id = ${orgId} AND source_id = ${id}
    AND url IN (SELECT url FROM ${rows} AND found = ${sync} AND sync = 0 ORDER BY created_at DESC, url DESC
      LIMIT (SELECT greatest(0, count(*) - ${most}::int) FROM ${rows} AND found = ${sync}))`);
  return dropped.rowCount ?? 0;
}

export type PageOutcome = Partial<Pick<PageRow, 'etag' | 'lastModified' | 'hash' | 'documentId' | 'leadsTo'>> & {
  state: PageRow['state'];
  fault?: Cause | null;
};

/** Marks the page as finished in this sync. */
export async function finishPage(
  tx: Queryable,
  source: ClaimedSource,
  url: string,
  outcome: PageOutcome,
): Promise<void> {
  await tx
    .update(documentPage)
    .set({ fault: null, leadsTo: null, ...outcome, sync: source.sync, fetchedAt: sql`now()` })
    .where(of(source, url));
}

/** Moves a page that did not answer behind the other pages. */
export async function postponePage(tx: Queryable, source: ClaimedSource, url: string): Promise<void> {
  await tx
    .update(documentPage)
    .set({ attempts: sql`${documentPage.attempts} + 1` })
    .where(of(source, url));
}

/** Finds another page of this source with this text. The document of a page that a sitemap no longer lists may end. */
export async function findPageWithText(
  tx: Queryable,
  source: ClaimedSource,
  url: string,
  hash: string,
): Promise<string | null> {
  const found = await tx.execute<{ url: string }>(sql`SELECT url FROM document_page
    WHERE org_id = ${source.org_id} AND source_id = ${source.id} AND hash = ${hash} AND document_id IS NOT NULL
      AND url <> ${url} AND (${source.kind !== 'sitemap'} OR found = ${source.sync}) LIMIT 1`);
  return found.rows[0]?.url ?? null;
}

/** Writes the text of a page. Creates a new document if the page has no document. */
export async function putPageDocument(
  tx: Queryable,
  source: ClaimedSource,
  input: { id: string; isNew: boolean; name: string; text: string; url: string },
): Promise<void> {
  const { id, isNew, name, text, url } = input;
  if (isNew) {
    await tx
      .insert(document)
      .values({ orgId: source.org_id, id, agentId: source.agent_id, sourceId: source.id, name, text, url });
  } else {
    await tx
      .update(document)
      .set({ name, text, updatedAt: sql`now()` })
      .where(and(eq(document.orgId, source.org_id), eq(document.id, id)));
    await rereadDuplicates(tx, source, sql`${url}`);
  }
  await EMBEDDINGS.queueDocument(tx, source.org_id, id);
  await QUESTIONS.queueDocument(tx, source.org_id, id);
}

export async function readDocumentBytes(tx: Queryable, orgId: string, id: string): Promise<number> {
  const found = await tx.execute<{ bytes: number }>(
    sql`SELECT octet_length(text) AS bytes FROM document WHERE org_id = ${orgId} AND id = ${id}`,
  );
  return found.rows[0]?.bytes ?? 0;
}

/** Deletes the document of a page. */
export async function dropPageDocument(tx: Queryable, source: ClaimedSource, page: PageRow): Promise<void> {
  if (page.documentId === null) return;
  await tx.delete(document).where(and(eq(document.orgId, source.org_id), eq(document.id, page.documentId)));
  await rereadDuplicates(tx, source, sql`${page.url}`);
}

/** The documents of these pages no longer have their text, so one of the pages with the same text gets a document. */
async function rereadDuplicates(tx: Queryable, source: ClaimedSource, urls: SQL): Promise<void> {
  await tx.execute(sql`UPDATE document_page SET sync = ${source.sync - 1}, etag = NULL, last_modified = NULL
    WHERE org_id = ${source.org_id} AND source_id = ${source.id} AND leads_to IN (${urls}) AND state = 'duplicate'`);
}

/**
 * At the end of a sync of a sitemap, deletes pages that the sitemap no longer lists. If a part of the sitemap could not
 * be read, the function deletes nothing, because the part may list the pages.
 */
export async function dropUnlisted(tx: Queryable, source: ClaimedSource): Promise<number> {
  const unread = await tx.execute(sql`SELECT 1 FROM document_page WHERE org_id = ${source.org_id}
    AND source_id = ${source.id} AND sync = ${source.sync} AND is_sitemap AND state = 'fault'
    AND fault ->> 'code' <> 'not_found' LIMIT 1`);
  if (unread.rows.length > 0) return 0;
  const unlisted = sql`org_id = ${source.org_id} AND source_id = ${source.id} AND found < ${source.sync}
    AND url <> ${source.url}`;
  await rereadDuplicates(tx, source, sql`SELECT url FROM document_page WHERE ${unlisted}`);
  await tx.execute(sql`DELETE FROM document WHERE org_id = ${source.org_id}
    AND id IN (SELECT document_id FROM document_page WHERE ${unlisted})`);
  const gone = await tx.execute(sql`DELETE FROM document_page WHERE ${unlisted}`);
  return gone.rowCount ?? 0;
}
