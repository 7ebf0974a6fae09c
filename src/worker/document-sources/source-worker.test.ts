import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { type Site, sitePage, startSite } from '../../../test/fakes/site.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { createDocument } from '../../features/agents/documents.ts';
import { cancelSync, createSource, deleteSource, syncSource } from '../../features/agents/document-sources.ts';
import { listSourcePages, readSource } from '../../features/agents/read-document-sources.ts';
import { createEgress, type Egress } from '../../kernel/egress.ts';
import { type Db, openDb } from '../../store/db.ts';
import { claimSource, moveScope } from '../../store/document-sources/queue.ts';
import { user } from '../../store/schema/identity.ts';
import { tooComplex } from '../../engine/documents/document-fault.ts';
import { createReadFiles, type ReadFiles } from '../../engine/documents/read-files.ts';
import { createSourceWorker } from './source-worker.ts';

let database: TestDatabase;
let db: Db;
let egress: Egress;
let files: ReadFiles;
let site: Site;
let orgId: string;
let agentId: string;
const log = pino({ level: 'silent' });
const actor = { userId: 'user_1', address: '127.0.0.1', requestId: 'req_1' };
const workers: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  egress = createEgress({ allow: ['127.0.0.1'] });
  files = createReadFiles({ log });
  await db.insert(user).values({ id: actor.userId, name: 'Asha', email: 'asha@example.com' });
});
afterAll(async () => {
  await files?.stop();
  await egress?.close();
  await db?.$client.end();
  await database?.drop();
});
beforeEach(async () => {
  site = await startSite();
  orgId = await givenOrganization(db, { plan: 'paid' });
  ({ agentId } = await givenAgent(db, orgId));
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await site.stop();
});

const deps = () => ({ db, log, egress, files, pauseMs: 0 });
function run(more = {}): void {
  const worker = createSourceWorker({ ...deps(), ...more });
  worker.start();
  workers.push(worker);
}
const add = async (path: string, kind: 'page' | 'sitemap' | 'site' = 'site', more = {}): Promise<string> =>
  (await createSource({ db, egress }, orgId, agentId, { url: site.url + path, kind, ...more }, actor)).id;
const read = (id: string) => readSource({ db }, orgId, agentId, id);
const ended = async (id: string) => {
  await expect.poll(async () => (await read(id)).state, { timeout: 30_000 }).toMatch(/done|failed/);
  return read(id);
};
const again = async (id: string) => {
  await syncSource({ db }, orgId, { agentId, id }, actor);
  for (const worker of workers) (worker as unknown as { wake(): void }).wake();
  return ended(id);
};
const documents = async (): Promise<Record<string, string>> => {
  const { rows } = await db.$client.query(
    'SELECT url, text FROM document WHERE org_id = $1 AND source_id IS NOT NULL ORDER BY url',
    [orgId],
  );
  return Object.fromEntries(rows.map(({ url, text }) => [String(url).replace(site.url, ''), text]));
};
const states = async (id: string): Promise<Record<string, string>> => {
  const { rows } = await listSourcePages({ db }, orgId, { agentId, id }, undefined, { limit: 100, after: null });
  return Object.fromEntries(rows.map(({ url, state, fault }) => [url.replace(site.url, ''), fault?.code ?? state]));
};
const put = (path: string, text: string, links: string[] = [], head = ''): void =>
  void site.pages.set(path, sitePage(path, text, links, head));
const map = (...paths: string[]): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${site.url}${path}</loc></url>`)
    .join('')}</urlset>`;
const list = (path: string, ...paths: string[]): void =>
  void site.pages.set(path, { status: 200, body: map(...paths) });

describe('a site', () => {
  test('the pages of a site become documents once each, within its scope and its robots.txt', async () => {
    site.pages.set('/robots.txt', { status: 200, body: 'User-agent: Parley\nDisallow: /help/private' });
    put('/help/', 'Start.', [
      'a',
      '/help/b?utm_source=x',
      '/help/private/x',
      '/other',
      'https://elsewhere.example/',
      'a.png',
      'loop1',
      'gone',
      'twin',
      'mailto:x@y.z',
    ]);
    put('/help/a', 'About a.', ['/help/', '#top', 'b']);
    put('/help/b', 'About b.', ['c']);
    put('/help/c', 'About c.', [], `<link rel="canonical" href="/help/a">`);
    put('/help/twin', 'About b.');
    site.pages.set('/help/twin', { html: (site.pages.get('/help/b') as { html: string }).html });
    site.pages.set('/help/loop1', { status: 302, headers: { location: '/help/loop2' } });
    site.pages.set('/help/loop2', { status: 302, headers: { location: '/help/loop1' } });
    run();
    const id = await add('/help/');
    const source = await ended(id);
    expect(source).toMatchObject({ state: 'done', fault: null, limit_reached: false });
    expect(await documents()).toEqual({
      '/help/': '# /help/\n\nStart.',
      '/help/a': '# /help/a\n\nAbout a.',
      '/help/b': '# /help/b\n\nAbout b.',
    });
    expect(await states(id)).toEqual({
      '/help/': 'read',
      '/help/a': 'read',
      '/help/b': 'read',
      '/help/c': 'duplicate',
      '/help/twin': 'duplicate',
      '/help/private/x': 'robots',
      '/help/gone': 'not_found',
      '/help/loop1': 'redirect',
      '/help/loop2': 'redirect_loop',
    });
    expect(site.asked.every(({ agent }) => agent.startsWith('Parley/'))).toBe(true);
    expect(new Set(site.asked.map(({ path }) => path)).size).toBe(site.asked.length);
    expect(site.most()).toBe(1);
  });

  test('reading a site again transfers changed pages only, deletes missing ones and adds new ones', async () => {
    put('/', 'Start.', ['/a', '/b', '/c']);
    for (const name of ['a', 'b', 'c']) put(`/${name}`, `About ${name}.`);
    run();
    const id = await add('/');
    await ended(id);
    const { rows: before } = await db.$client.query('SELECT id, url FROM document WHERE source_id = $1 ORDER BY url', [
      id,
    ]);
    put('/', 'Start.', ['/a', '/c', '/d']);
    put('/a', 'A is new.');
    site.pages.delete('/b');
    put('/d', 'About d.');
    site.pages.set('/c', { status: 500 });
    site.asked.length = 0;
    await again(id);
    expect(Object.keys(await documents())).toEqual(['/', '/a', '/c', '/d']);
    expect((await documents())['/a']).toContain('A is new.');
    expect(await states(id)).toMatchObject({ '/b': 'not_found', '/c': 'unreachable' });
    const { rows: after } = await db.$client.query('SELECT id, url FROM document WHERE source_id = $1 ORDER BY url', [
      id,
    ]);
    expect(after[1]).toEqual(before[1]);
    put('/c', 'About c.');
    site.asked.length = 0;
    await again(id);
    expect(site.asked.filter(({ status }) => status === 304).length).toBe(4);
    expect(await states(id)).toEqual({ '/': 'read', '/a': 'read', '/c': 'read', '/d': 'read' });
  });

  test('a site has a maximum number of pages, and reports when it is reached', async () => {
    put(
      '/',
      'Start.',
      Array.from({ length: 20 }, (_, at) => `/p${at}`),
    );
    for (let at = 0; at < 20; at++) put(`/p${at}`, `Page ${at}.`);
    run();
    const source = await ended(await add('/', 'site', { max_pages: 5 }));
    expect(source).toMatchObject({ state: 'done', limit_reached: true, pages: { known: 5, read: 5 } });
  });

  test('a site that sends Retry-After gets a pause, and the sync continues afterwards', async () => {
    site.pages.set('/', { status: 429, headers: { 'retry-after': '1' } });
    run();
    const id = await add('/');
    await expect.poll(() => site.asked.some(({ status }) => status === 429)).toBe(true);
    put('/', 'Start.');
    expect(await ended(id)).toMatchObject({ state: 'done', pages: { read: 1 } });
  });

  test('a sync of an unavailable site fails, and pages that were read before stay', async () => {
    put('/', 'Start.', ['/a']);
    put('/a', 'About a.');
    run();
    const id = await add('/');
    await ended(id);
    for (const path of ['/', '/a']) site.pages.set(path, { status: 500 });
    expect(await again(id)).toMatchObject({ state: 'failed', fault: { code: 'unreachable' } });
    expect(Object.keys(await documents())).toEqual(['/', '/a']);
  });

  test('a private address is refused when the site is added', async () => {
    const strict = createEgress({ allow: [] });
    const body = { url: 'https://127.0.0.1/', kind: 'site' as const };
    await expect(createSource({ db, egress: strict }, orgId, agentId, body, actor)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await strict.close();
  });

  test('the sync stops with the reason when the limit of the documents is reached', async () => {
    const free = await givenOrganization(db, { plan: 'free' });
    orgId = free;
    ({ agentId } = await givenAgent(db, free));
    await createDocument({ db }, free, agentId, { name: 'Full', text: 'x'.repeat(1024 * 1024) }, actor);
    await createDocument({ db }, free, agentId, { name: 'Full', text: 'x'.repeat(1024 * 1024 - 20) }, actor);
    put('/', 'A page that has more letters than twenty.');
    run();
    expect(await ended(await add('/'))).toMatchObject({ state: 'failed', fault: { code: 'knowledge_agent_full' } });
  });
});

test('a robots.txt that redirects to no address has no rules', async () => {
  site.pages.set('/robots.txt', { status: 302, headers: { location: 'http://[' } });
  put('/', 'Words.');
  run();
  expect(await ended(await add('/', 'page'))).toMatchObject({ state: 'done' });
});

test('a robots.txt that needs too much memory has no rules, and the sync ends', async () => {
  site.pages.set('/robots.txt', { status: 200, body: 'User-agent: *\nDisallow: /' });
  put('/', 'Words.');
  const strict: ReadFiles['read'] = (org, task) =>
    task.kind === 'robots' ? Promise.reject(tooComplex()) : files.read(org, task);
  run({ files: { read: strict } });
  expect(await ended(await add('/', 'page'))).toMatchObject({ state: 'done', pages: { read: 1 } });
});

test('a page without a title is stored, even if its address contains NUL', async () => {
  site.pages.set('/a%00b', { html: '<p>Words.</p>' });
  run();
  expect(await ended(await add('/a%00b', 'page'))).toMatchObject({ state: 'done' });
  const { rows } = await db.$client.query('SELECT name FROM document WHERE org_id = $1', [orgId]);
  expect(rows).toEqual([{ name: 'a b' }]);
});

test('a single page, even after a redirect, follows no link', async () => {
  site.pages.set('/old', { status: 301, headers: { location: '/new' } });
  put('/new', 'Words.', ['/other']);
  run();
  await ended(await add('/old', 'page'));
  expect(Object.keys(await documents())).toEqual(['/new']);
});

test('a sitemap adds its pages, and a page that it no longer lists is deleted', async () => {
  const index = `<sitemapindex><sitemap><loc>${site.url}/one.xml</loc></sitemap></sitemapindex>`;
  site.pages.set('/sitemap.xml', { status: 200, body: index });
  site.pages.set('/one.xml', { status: 200, body: map('/a', '/b') });
  for (const name of ['a', 'b', 'c']) put(`/${name}`, `About ${name}.`, ['/c']);
  run();
  const id = await add('/sitemap.xml', 'sitemap');
  await ended(id);
  expect(Object.keys(await documents())).toEqual(['/a', '/b']);
  site.pages.set('/one.xml', { status: 200, body: map('/b') });
  await again(id);
  expect(Object.keys(await documents())).toEqual(['/b']);
  // Nothing is deleted while a part of the sitemap cannot be read.
  site.pages.set('/one.xml', { status: 500 });
  await again(id);
  expect(Object.keys(await documents())).toEqual(['/b']);
});

test('a sitemap whose addresses all change gets its new pages, even if the sitemap is at its limit', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) put(`/${name}`, `About ${name}.`);
  list('/sitemap.xml', '/a', '/b');
  run();
  const id = await add('/sitemap.xml', 'sitemap', { max_pages: 2 });
  await ended(id);
  list('/sitemap.xml', '/c', '/d', '/e');
  expect(await again(id)).toMatchObject({ state: 'done', limit_reached: true, pages: { known: 2 } });
  expect(Object.keys(await documents())).toEqual(['/c', '/d']);
});

test('new pages of one sitemap do not exceed the limit together with known pages of the next sitemap', async () => {
  for (const name of ['a', 'b', 'c', 'd']) put(`/${name}`, `About ${name}.`);
  const body = ['one', 'two'].map((name) => `<sitemap><loc>${site.url}/${name}.xml</loc></sitemap>`).join('');
  site.pages.set('/sitemap.xml', { status: 200, body: `<sitemapindex>${body}</sitemapindex>` });
  list('/one.xml', '/a');
  list('/two.xml', '/b');
  run();
  const id = await add('/sitemap.xml', 'sitemap', { max_pages: 2 });
  await ended(id);
  list('/one.xml', '/c', '/d');
  expect(await again(id)).toMatchObject({ state: 'done', limit_reached: true, pages: { known: 2 } });
  expect(Object.keys(await documents())).toEqual(['/b', '/c']);
});

test('a sitemap with an unreadable part keeps its old pages, but never more than twice its limit', async () => {
  const body = ['one', 'two'].map((name) => `<sitemap><loc>${site.url}/${name}.xml</loc></sitemap>`).join('');
  site.pages.set('/sitemap.xml', { status: 200, body: `<sitemapindex>${body}</sitemapindex>` });
  site.pages.set('/two.xml', { status: 403 });
  for (const name of ['a', 'b', 'c']) put(`/${name}`, `About ${name}.`);
  list('/one.xml', '/a');
  run();
  const id = await add('/sitemap.xml', 'sitemap', { max_pages: 1 });
  await ended(id);
  for (const path of ['/b', '/c']) {
    list('/one.xml', path);
    await again(id);
  }
  expect(Object.keys(await documents())).toEqual(['/a', '/b']);
  expect(await read(id)).toMatchObject({ limit_reached: true, pages: { known: 2 } });
});

test('documents of pages that the sitemap no longer lists make room for its new pages', async () => {
  orgId = await givenOrganization(db, { plan: 'free' });
  ({ agentId } = await givenAgent(db, orgId));
  const long = 'x'.repeat(900 * 1024);
  for (const name of ['a', 'b', 'c', 'd']) put(`/${name}`, `About ${name}: ${long}`);
  list('/sitemap.xml', '/a', '/b');
  run();
  const id = await add('/sitemap.xml', 'sitemap');
  await ended(id);
  expect(Object.keys(await documents())).toEqual(['/a', '/b']);
  list('/sitemap.xml', '/c', '/d');
  expect(await again(id)).toMatchObject({ state: 'done', fault: null });
  expect(Object.keys(await documents())).toEqual(['/c', '/d']);
});

describe('pages with the same text', () => {
  const copy = (from: string, to: string): void => void site.pages.set(to, site.pages.get(from)!);

  test('a page keeps its text when it replaces a page with the same text in a sitemap', async () => {
    put('/old', 'Words.');
    copy('/old', '/new');
    list('/sitemap.xml', '/old');
    run();
    const id = await add('/sitemap.xml', 'sitemap');
    await ended(id);
    list('/sitemap.xml', '/new');
    for (let sync = 0; sync < 2; sync++) {
      await again(id);
      expect(await documents()).toEqual({ '/new': '# /old\n\nWords.' });
    }
  });

  test('a duplicate gets its document in the sync in which the sitemap stops listing the other page', async () => {
    put('/a', 'Words.');
    copy('/a', '/b');
    list('/sitemap.xml', '/a', '/b');
    run();
    const id = await add('/sitemap.xml', 'sitemap');
    await ended(id);
    expect(await states(id)).toMatchObject({ '/a': 'read', '/b': 'duplicate' });
    list('/sitemap.xml', '/b');
    await again(id);
    expect(await documents()).toEqual({ '/b': '# /a\n\nWords.' });
  });

  test('a duplicate gets its document when the other page changes its text', async () => {
    put('/', 'Start.', ['/a', '/b']);
    put('/a', 'Words.');
    copy('/a', '/b');
    run();
    const id = await add('/');
    await ended(id);
    expect(await states(id)).toMatchObject({ '/a': 'read', '/b': 'duplicate' });
    put('/a', 'New words.');
    await again(id);
    expect(await documents()).toMatchObject({ '/a': '# /a\n\nNew words.', '/b': '# /a\n\nWords.' });
  });

  test('a duplicate that did not answer once is still read again when the other page changes', async () => {
    put('/', 'Start.', ['/a', '/b']);
    put('/a', 'Words.');
    copy('/a', '/b');
    run();
    const id = await add('/');
    await ended(id);
    site.pages.set('/b', { status: 500 });
    await again(id);
    expect(await states(id)).toMatchObject({ '/b': 'unreachable' });
    copy('/a', '/b');
    put('/a', 'New words.');
    await again(id);
    expect(await documents()).toMatchObject({ '/a': '# /a\n\nNew words.', '/b': '# /a\n\nWords.' });
  });
});

test('a packed sitemap that cannot be read is a fault, and the pages of the other sitemaps are read', async () => {
  const at = (path: string): string => `<loc>${site.url}${path}</loc>`;
  const body = `<sitemapindex><sitemap>${at('/one.xml.gz')}</sitemap><sitemap>${at('/two.xml')}</sitemap></sitemapindex>`;
  site.pages.set('/sitemap.xml', { status: 200, body });
  site.pages.set('/one.xml.gz', { status: 200, body: Buffer.from('1f8b', 'hex') });
  site.pages.set('/two.xml', { status: 200, body: `<urlset><url>${at('/a')}</url></urlset>` });
  put('/a', 'About a.');
  run();
  const id = await add('/sitemap.xml', 'sitemap');
  expect(await ended(id)).toMatchObject({ state: 'done' });
  expect(await states(id)).toEqual({
    '/sitemap.xml': 'sitemap',
    '/one.xml.gz': 'broken',
    '/two.xml': 'sitemap',
    '/a': 'read',
  });
});

describe('a sync', () => {
  test('only one worker runs a sync, and only one sync reads a host at a time', async () => {
    put('/', 'Start.');
    const [first, second] = [await add('/'), await add('/x')];
    const claims = await Promise.all(['a', 'b', 'c', 'd'].map((lease) => claimSource(db, lease)));
    expect(claims.filter((one) => one !== null).map(({ id }) => id)).toEqual([first]);
    await db.execute(sql`UPDATE document_source SET lease = NULL, state = 'done', due_at = NULL WHERE id = ${first}`);
    expect((await claimSource(db, 'e'))?.id).toBe(second);
    await db.execute(sql`UPDATE document_source SET lease = NULL, due_at = NULL`);
  });

  test('two syncs of a killed worker continue, even if one moved to the host of the other', async () => {
    await add('/');
    const other = await add('/x');
    await db.execute(sql`UPDATE document_source SET host = 'moved.example' WHERE id = ${other}`);
    const first = (await claimSource(db, 'a'))!;
    expect((await claimSource(db, 'b'))?.id).toBe(other);
    await moveScope(db, first, 'https://moved.example/');
    expect(await claimSource(db, 'c')).toBeNull();
    await db.execute(sql`UPDATE document_source SET due_at = now() WHERE org_id = ${orgId}`);
    expect(await claimSource(db, 'd')).toMatchObject({ org_id: orgId });
    expect(await claimSource(db, 'e')).toBeNull();
    await db.execute(sql`UPDATE document_source SET lease = NULL, due_at = NULL`);
  });

  test('a sync continues where a killed worker stopped, and the late worker changes nothing', async () => {
    put('/', 'Start.', ['/a', '/b', '/c']);
    for (const name of ['a', 'b', 'c']) put(`/${name}`, `About ${name}.`);
    const id = await add('/');
    // A worker that stops answering in the middle of its second page.
    let asked = 0;
    const late = Promise.withResolvers<void>();
    const stuck = {
      request: async (one: Parameters<Egress['request']>[0]) => {
        if (asked++ >= 2) await late.promise;
        return egress.request(one);
      },
    };
    const dead = createSourceWorker({ ...deps(), egress: stuck });
    dead.start();
    await expect.poll(() => asked).toBe(3);
    const stopping = dead.stop();
    await db.execute(sql`UPDATE document_source SET due_at = now() WHERE id = ${id}`);
    site.asked.length = 0;
    run();
    expect(await ended(id)).toMatchObject({ state: 'done', pages: { known: 4, done: 4, read: 4 } });
    // The page that was done is not asked for again.
    expect(site.asked.map(({ path }) => path).toSorted()).toEqual(['/a', '/b', '/c', '/robots.txt']);
    const before = await read(id);
    put('/a', 'Late words.');
    late.resolve();
    await stopping;
    expect((await documents())['/a']).toContain('About a.');
    expect(await read(id)).toEqual(before);
  });

  test('a stopped sync keeps the pages that were read, and a removed source is deleted with its documents', async () => {
    put('/', 'Start.', ['/a', '/b']);
    put('/a', 'About a.');
    run({ pauseMs: 60_000 });
    const id = await add('/');
    await expect.poll(async () => Object.keys(await documents())).toEqual(['/']);
    expect(await cancelSync({ db }, orgId, { agentId, id }, actor)).toMatchObject({ state: 'cancelled' });
    expect(Object.keys(await documents())).toEqual(['/']);
    await expect(cancelSync({ db }, orgId, { agentId, id }, actor)).rejects.toMatchObject({
      code: 'source_not_running',
    });
    await deleteSource({ db }, orgId, { agentId, id }, actor);
    expect(await documents()).toEqual({});
  });
});
