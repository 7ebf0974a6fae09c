import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Refusal } from '../../../contract/problems.ts';
import { endSlice, leadsBack, storeSourcePage } from '../../features/agents/store-source-page.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Db } from '../../store/db.ts';
import { isStart, nextPage, readPage } from '../../store/document-sources/pages.ts';
import { type ClaimedSource, claimSource, holdSource, readFailures } from '../../store/document-sources/queue.ts';
import type { PageRow } from '../../store/document-sources/read.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { FilesBusy, type ReadFiles } from '../../engine/documents/read-files.ts';
import type { WhenDue } from '../look-loop.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';
import { type Fetched, fetchPage } from './fetch-page.ts';
import { readRobots, type Robots } from './robots.ts';

/**
 * Reads the pages of sources one after another, with a pause between them. The database records which pages are left,
 * and each page is stored in one transaction under a lease. Another worker can continue the sync of a killed worker. A
 * source is interrupted after a minute, so that hundreds of pages of one organization do not delay one page of another.
 */
export type SourceWorkerDeps = {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  egress: Pick<Egress, 'request'>;
  files: Pick<ReadFiles, 'read'>;
  pauseMs?: number;
  sliceMs?: number;
};

const CAPACITY = 2;
const POLL_MS = 1_000;
const PAUSE_MS = 500;
const SLICE_MS = 60_000;
/** After this many consecutive pages without an answer, the site counts as unavailable. */
const MAX_FAILURES = 8;
const RETRY_SECONDS = 30;

export function createSourceWorker(deps: SourceWorkerDeps): PagedLoop {
  const { db, log, pauseMs = PAUSE_MS, sliceMs = SLICE_MS } = deps;

  async function handleFailure(source: ClaimedSource, error: unknown): Promise<void> {
    const isFull = error instanceof Refusal && error.status === 409;
    if (isFull) return endSlice(db, source, { fault: { code: error.code, detail: error.message }, isFull });
    if (!(error instanceof FilesBusy)) log.warn({ err: error, source: source.id }, 'a sync was interrupted');
    await endSlice(db, source, { inSeconds: RETRY_SECONDS });
  }

  /** Reads pages until the time is over, the site requests a pause, or no page is left. */
  async function readSlice(source: ClaimedSource, stopping: AbortSignal): Promise<Parameters<typeof endSlice>[2]> {
    const end = performance.now() + sliceMs;
    const { origin } = new URL(source.scope);
    let robots: Robots | null = null;
    for (let isFirst = true; performance.now() < end && !stopping.aborted; isFirst = false) {
      const page = await nextPage(db, source);
      if (!page) return { fault: await faultOfAll(source) };
      robots ??= await readRobots(deps, source.org_id, origin);
      if (!robots) return unreachable(source);
      const { allowed, delaySeconds } = await robots.allows(page.url);
      if (!isFirst) await pause(Math.max(pauseMs, delaySeconds * 1_000), stopping);
      const { found, laterSeconds } = allowed ? await look(source, page) : FORBIDDEN;
      if (!(await storeSourcePage(db, source, page, found))) return { inSeconds: 0 };
      if (laterSeconds !== undefined) return { inSeconds: laterSeconds };
      if ((await readFailures(db, source)) >= MAX_FAILURES) return { fault: AWAY };
      if (found.kind === 'leads' && found.scope !== undefined) return { inSeconds: 0 };
    }
    return { inSeconds: 0 };
  }

  async function look(source: ClaimedSource, page: PageRow): Promise<Fetched> {
    const fetched = await fetchPage(deps, source, page, await isStart(db, source));
    const { found } = fetched;
    if (found.kind !== 'leads' || found.how !== 'duplicate') return fetched;
    // A canonical address replaces this page only if its page did not fail and does not refer back to this page.
    const target = await readPage(db, source, found.to);
    const isLost = target !== null && target.sync === source.sync && target.state === 'fault';
    if (!isLost && !(await leadsBack(db, source, found.to, page.url))) return fetched;
    return { found: found.itself! };
  }

  async function unreachable(source: ClaimedSource): Promise<Parameters<typeof endSlice>[2]> {
    await db.transaction((tx) => holdSource(tx, source, false));
    return (await readFailures(db, source)) >= 3 ? { fault: AWAY } : { inSeconds: RETRY_SECONDS };
  }

  /** If the first page of a sync failed, the sync has read nothing. */
  async function faultOfAll(source: ClaimedSource): Promise<{ code: string; detail: string } | null> {
    const first = await readPage(db, source, source.url);
    return first?.state === 'fault' ? first.fault : null;
  }

  return createPagedLoop({
    rows: 'sources',
    log,
    pollMs: POLL_MS,
    whenDue: deps.whenDue,
    leaseSeconds: LEASE_SECONDS.document_source,
    capacity: CAPACITY,
    claim: (lease) => claimSource(db, lease),
    work: async (source, stopping) => endSlice(db, source, await readSlice(source, stopping)),
    fail: handleFailure,
    ids: ({ id }) => ({ source: id }),
  });
}

/** Waits, or ends early when the worker stops. */
const pause = (ms: number, stopping: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal: stopping }).catch(() => {});

const AWAY = { code: 'site_unreachable', detail: 'The site does not answer. Pages that were read before stay.' };
const FORBIDDEN: Fetched = {
  found: {
    kind: 'fault',
    code: 'robots',
    detail: 'robots.txt of the site does not allow Parley to read this page.',
    gone: true,
    answered: true,
  },
};
