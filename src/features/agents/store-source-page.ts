import { hash } from 'node:crypto';
import { cutText } from '../../../contract/cut-text.ts';
import { MAX_DOCUMENTS_PER_AGENT } from '../../../contract/dashboard/agents.ts';
import { MAX_NAME_CHARACTERS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { changeAgent } from '../../store/agents/write.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { countDocuments } from '../../store/documents.ts';
import {
  addPages,
  dropPageDocument,
  dropUnlisted,
  postponePage,
  putPageDocument,
  readDocumentBytes,
  readPage,
  findPageWithText,
  type PageOutcome,
  finishPage,
} from '../../store/document-sources/pages.ts';
import {
  type ClaimedSource,
  finishSync,
  holdSource,
  moveScope,
  releaseSource,
} from '../../store/document-sources/queue.ts';
import type { PageRow } from '../../store/document-sources/read.ts';
import { checkRoom, readUse } from './documents.ts';
import { keepWordings } from './wordings.ts';

/** `links`: other pages of the source within its scope. */
type Text = {
  kind: 'text';
  title: string;
  text: string;
  etag: string | null;
  lastModified: string | null;
  links: string[];
};

/** The result of a sync for one address. */
export type Found =
  | Text
  /** `itself`: the text of the page, used if `to` has no text. `scope`: the new scope of the source. */
  | { kind: 'leads'; to: string; how: 'redirect' | 'duplicate'; scope?: string; itself?: Text }
  | { kind: 'sitemap'; pages: string[]; sitemaps: string[] }
  | { kind: 'unchanged' }
  /**
   * `gone`: true if the page no longer exists, so that its document is deleted. If it is false, the earlier text stays.
   */
  | { kind: 'fault'; code: string; detail: string; gone: boolean; answered: boolean }
  | { kind: 'later' };

const MAX_SITEMAPS = 50;

/**
 * Stores the result and renews the lease, in one transaction. After a crash, the page is either finished or not read
 * yet. Returns false if the source belongs to another worker. The function throws a Refusal when the limit of the
 * documents is reached.
 */
export async function storeSourcePage(db: Db, source: ClaimedSource, page: PageRow, found: Found): Promise<boolean> {
  return db.transaction(async (tx) => {
    const writes = found.kind !== 'unchanged' && found.kind !== 'later';
    // The rows are locked in the order organization, agent, source, as in every change of documents.
    const use = writes ? await readUse(tx, source.org_id, source.agent_id, { hold: true }) : null;
    if (writes && !(await lockAgent(tx, source.org_id, source.agent_id))) return false;
    const answered = found.kind !== 'later' && (found.kind !== 'fault' || found.answered);
    if (!(await holdSource(tx, source, answered))) return false;
    if (found.kind === 'later') await postponePage(tx, source, page.url);
    else if (found.kind === 'unchanged') await finishPage(tx, source, page.url, unchanged(page));
    else if (found.kind === 'text') await storeText(tx, source, page, found, use!);
    else if (found.kind === 'fault') await storeFault(tx, source, page, found);
    else if (found.kind === 'sitemap') {
      await finishPage(tx, source, page.url, { state: 'sitemap' });
      await addPages(tx, source, found.sitemaps, { isSitemap: true, most: MAX_SITEMAPS });
      await addPages(tx, source, found.pages);
    } else await storeRedirect(tx, source, page, found);
    return true;
  });
}

const unchanged = ({ state, documentId, leadsTo }: PageRow): PageOutcome => ({
  state: state !== 'fault' ? state : documentId === null ? 'empty' : 'read',
  leadsTo,
});

type Use = Awaited<ReturnType<typeof readUse>>;

async function storeText(
  tx: Queryable,
  source: ClaimedSource,
  page: PageRow,
  { title, text, etag, lastModified, links }: Found & { kind: 'text' },
  use: Use,
): Promise<void> {
  const known = { etag, lastModified };
  const finish = (outcome: PageOutcome): Promise<void> => finishPage(tx, source, page.url, { ...known, ...outcome });
  await addPages(tx, source, links);
  if (text.trim() === '') {
    await dropPageDocument(tx, source, page);
    return finish({ state: 'empty', hash: null, documentId: null });
  }
  const digest = hash('sha256', text);
  const twin = await findPageWithText(tx, source, page.url, digest);
  if (twin !== null) {
    await dropPageDocument(tx, source, page);
    return finish({ state: 'duplicate', hash: digest, documentId: null, leadsTo: twin });
  }
  if (page.documentId !== null && page.hash === digest) return finish({ state: 'read' });
  const isNew = page.documentId === null;
  const id = page.documentId ?? newId('doc');
  const before = isNew ? 0 : await readDocumentBytes(tx, source.org_id, id);
  checkRoom(use, Buffer.byteLength(text) - before);
  if (isNew && (await countDocuments(tx, source.org_id, source.agent_id)) >= MAX_DOCUMENTS_PER_AGENT)
    throw new Refusal('knowledge_agent_full', `An agent has at most ${MAX_DOCUMENTS_PER_AGENT} documents.`);
  const name = cutText(title || nameOf(page.url), MAX_NAME_CHARACTERS);
  await putPageDocument(tx, source, { id, isNew, name, text, url: page.url });
  if (!isNew) await keepWordings(tx, source.org_id, id, text);
  await finish({ state: 'read', hash: digest, documentId: id });
}

async function storeFault(
  tx: Queryable,
  source: ClaimedSource,
  page: PageRow,
  { code, detail, gone }: Found & { kind: 'fault' },
): Promise<void> {
  const fault = { code, detail };
  const unread = { etag: null, lastModified: null };
  // A page without a document may be a duplicate, and only its text shows this after the fault.
  const known = page.documentId === null ? unread : {};
  if (!gone) return finishPage(tx, source, page.url, { state: 'fault', fault, ...known });
  await dropPageDocument(tx, source, page);
  const nothing = { hash: null, documentId: null, ...unread };
  await finishPage(tx, source, page.url, { state: 'fault', fault, ...nothing });
}

/** If the target refers back to this page, both pages would have no text. */
async function storeRedirect(
  tx: Queryable,
  source: ClaimedSource,
  page: PageRow,
  { to, how, scope }: Found & { kind: 'leads' },
): Promise<void> {
  await dropPageDocument(tx, source, page);
  const nothing = { hash: null, documentId: null, etag: null, lastModified: null };
  if (await leadsBack(tx, source, to, page.url)) {
    const fault = { code: 'redirect_loop', detail: 'The page redirects to itself.' };
    return finishPage(tx, source, page.url, { state: 'fault', fault, ...nothing });
  }
  if (scope !== undefined) await moveScope(tx, source, scope);
  await finishPage(tx, source, page.url, { state: how, leadsTo: to, ...nothing });
  // The limit counts pages with text. This page only refers to another page, so one more page is allowed.
  await addPages(tx, source, [to], { most: source.max_pages + 1 });
}

const MAX_LEADS = 10;

/** True if a page redirects to the other page, directly or through more pages. */
export async function leadsBack(db: Queryable, source: ClaimedSource, from: string, to: string): Promise<boolean> {
  let at: string | null = from;
  for (let step = 0; at !== null && step < MAX_LEADS; step++) {
    if (at === to) return true;
    const page: PageRow | null = await readPage(db, source, at);
    at = page !== null && page.sync === source.sync ? page.leadsTo : null;
  }
  return at !== null;
}

/** Converts the last part of the address to words. */
function nameOf(address: string): string {
  const { pathname, host } = new URL(address);
  const last = pathname.split('/').findLast((part) => part !== '');
  if (last === undefined) return host;
  try {
    // The database cannot store NUL.
    return oneLine(decodeURIComponent(last)) || host;
  } catch {
    return last;
  }
}

/**
 * Ends a sync, or releases the source for the next worker. The next turn of the agent uses the changed documents.
 * `isFull`: the limit of the documents is reached, but pages that a sitemap no longer lists may make room.
 */
export async function endSlice(
  db: Db,
  source: ClaimedSource,
  end: { inSeconds: number } | { fault: { code: string; detail: string } | null; isFull?: true },
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, source.org_id, source.agent_id))) return;
    if ('inSeconds' in end) await releaseSource(tx, source, end.inSeconds);
    else if ((end.fault === null || end.isFull) && (await dropsPages(tx, source))) await releaseSource(tx, source, 0);
    else await finishSync(tx, source, end.fault);
    await changeAgent(tx, source.org_id, source.agent_id, {});
  });
}

/**
 * A sync reads the pages after all sitemaps, so the list is complete. After a deletion the sync continues, because
 * pages with the same text are read again.
 */
const dropsPages = async (tx: Queryable, source: ClaimedSource): Promise<boolean> =>
  source.kind === 'sitemap' && (await holdSource(tx, source, null)) && (await dropUnlisted(tx, source)) > 0;
