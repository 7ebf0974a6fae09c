import { gunzipSync } from 'node:zlib';
import type { Found } from '../../features/agents/store-source-page.ts';
import { type Egress, EgressError, type EgressResponse } from '../../kernel/egress.ts';
import { ownVersion } from '../../kernel/own-files.ts';
import { readRetryAfter } from '../../kernel/retry-after.ts';
import { isInScope, mayBePage, pageAddress, scopeOf } from '../../kernel/page-address.ts';
import type { ClaimedSource } from '../../store/document-sources/queue.ts';
import type { PageRow } from '../../store/document-sources/read.ts';
import { DocumentFault } from '../../engine/documents/document-fault.ts';
import type { ReadFiles } from '../../engine/documents/read-files.ts';

/** Reads one page of a source with the crawler's own name, once, and only if the page has changed. */
export const AGENT = 'Parley';
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
/** A sync tries a page that does not answer this many times. */
const MAX_ATTEMPTS = 3;
/** The pause after a 429 or 503 that states no time. */
const LATER_MS = 30_000;

export type FetchDeps = { egress: Pick<Egress, 'request'>; files: Pick<ReadFiles, 'read'> };
export type Fetched = { found: Found; /** The site requests a pause. */ laterSeconds?: number };

export const headers = (): Record<string, string> => ({
  'user-agent': `${AGENT}/${ownVersion()} (reads pages for an agent; robots.txt: ${AGENT})`,
  accept: 'text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5',
});

export async function fetchPage(
  deps: FetchDeps,
  source: ClaimedSource,
  page: PageRow,
  isStart: boolean,
): Promise<Fetched> {
  let answer: EgressResponse;
  try {
    answer = await deps.egress.request({
      url: page.url,
      headers: {
        ...headers(),
        ...(page.etag !== null && { 'if-none-match': page.etag }),
        ...(page.lastModified !== null && { 'if-modified-since': page.lastModified }),
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code === 'egress_too_large') return fault('too_large', 'The page is larger than 5 MiB.', true);
    if (error.code === 'egress_refused') return fault('address_refused', error.message, true);
    return unanswered(page, error.message);
  }
  const { status } = answer;
  if (status === 304) return { found: { kind: 'unchanged' } };
  if (status >= 300 && status < 400) return redirected(source, page, answer, isStart);
  if (status === 404 || status === 410) return fault('not_found', `The server returned ${status}.`, true);
  if (status === 429 || (status === 503 && answer.headers['retry-after'] !== undefined)) return later(page, answer);
  if (status >= 500) return unanswered(page, `The server returned ${status}.`);
  if (status !== 200) return fault('refused', `The server returned ${status}.`, false);
  return readAnswer(deps, source, page, answer);
}

async function readAnswer(
  { files }: FetchDeps,
  source: ClaimedSource,
  page: PageRow,
  { headers, body }: EgressResponse,
): Promise<Fetched> {
  try {
    const read = await files.read(source.org_id, {
      kind: 'page',
      bytes: page.isSitemap ? unpacked(body) : body,
      url: page.url,
      contentType: headers['content-type'] ?? '',
    });
    const inScope = (urls: readonly string[]): string[] => urls.filter((url) => isInScope(url, source.scope));
    const own = (urls: readonly string[]): string[] => inScope(urls).filter(mayBePage);
    if (page.isSitemap && read.sitemap === null) return fault('no_sitemap', 'The file is not a sitemap.', true);
    if (read.sitemap) {
      if (source.kind !== 'sitemap') return fault('unsupported', 'This is a sitemap: add it as one.', true);
      return { found: { kind: 'sitemap', pages: own(read.sitemap.pages), sitemaps: inScope(read.sitemap.sitemaps) } };
    }
    const itself = textOf(read, headers, source.kind === 'site' ? own(read.links) : []);
    const { canonical } = read;
    if (source.kind !== 'page' && canonical !== null && canonical !== page.url && isInScope(canonical, source.scope))
      return { found: { kind: 'leads', to: canonical, how: 'duplicate', itself } };
    return { found: itself };
  } catch (error) {
    if (error instanceof DocumentFault) return fault(error.code, error.message, true);
    throw error;
  }
}

/** A longer value is not stored, so the site sends the whole page again. */
const short = (value: string | undefined): string | null => (value !== undefined && value.length <= 500 ? value : null);

function textOf(
  { title, text }: { title: string; text: string },
  headers: Record<string, string>,
  links: string[],
): Found & { kind: 'text' } {
  return {
    kind: 'text',
    title,
    text,
    etag: short(headers['etag']),
    lastModified: short(headers['last-modified']),
    links,
  };
}

function redirected(source: ClaimedSource, page: PageRow, { headers }: EgressResponse, isStart: boolean): Fetched {
  const to = pageAddress(headers['location'] ?? '', page.url);
  if (to === null) return fault('redirected_away', 'The page redirects, but not to a page.', true);
  if (source.kind !== 'page' && isInScope(to, source.scope)) return { found: { kind: 'leads', to, how: 'redirect' } };
  // The address that a person typed may redirect to https, to "www" or to a language. The source continues with the
  // address to which the site redirects.
  if (isStart) return { found: { kind: 'leads', to, how: 'redirect', scope: scopeOf(to, source.kind) } };
  return fault('redirected_away', 'The page redirects to an address outside of the site.', true);
}

function later(page: PageRow, answer: EgressResponse): Fetched {
  if (page.attempts + 1 >= MAX_ATTEMPTS) return unanswered(page, `The server answered ${answer.status}.`);
  const waitMs = readRetryAfter(answer.headers['retry-after']) ?? LATER_MS;
  return { found: { kind: 'later' }, laterSeconds: Math.ceil(waitMs / 1_000) };
}

const unanswered = (page: PageRow, detail: string): Fetched =>
  page.attempts + 1 < MAX_ATTEMPTS
    ? { found: { kind: 'later' } }
    : { found: { kind: 'fault', code: 'unreachable', detail, gone: false, answered: false } };

const fault = (code: string, detail: string, gone: boolean): Fetched => ({
  found: { kind: 'fault', code, detail, gone, answered: true },
});

/** Sitemaps may be compressed. The uncompressed size has the same limit as a page. */
function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_PAGE_BYTES });
  } catch {
    throw new DocumentFault('broken', 'The packed sitemap is damaged or too large.');
  }
}
