/** @module-tag long */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../../cli/testing/run-cli.ts';
import { type Site, sitePage, startSite } from '../../fakes/site.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres.ts';
import { freePort, killProgram, type Program, runProgram } from '../../program.ts';

/** The real program is killed while it reads a site. Another process continues from the stored state. */
const OWNER = { email: 'owner@example.qa', password: 'correct horse battery' };
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
const PAGES = 15;
const KILLS = 3;

let database: TestDatabase;
let client: pg.Client;
let site: Site;
let folder: string;
let env: Record<string, string>;
let program: Program;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  site = await startSite(20);
  const paths = Array.from({ length: PAGES }, (_, at) => `/help/${at === 0 ? '' : at}`);
  for (const [at, one] of paths.entries()) site.pages.set(one, sitePage(`Page ${at}`, `Answer number ${at}.`, paths));
  folder = mkdtempSync(path.join(tmpdir(), 'parley-site-'));
  env = {
    DATABASE_URL: database.url,
    PARLEY_SECRET: randomBytes(36).toString('base64url'),
    PARLEY_OWNER_EMAIL: OWNER.email,
    PARLEY_OWNER_PASSWORD: OWNER.password,
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    PARLEY_DEMO: '0',
    PORT: String(await freePort()),
  };
  await start();
  await cli('login', '--email', OWNER.email, '--password-stdin');
});
afterAll(async () => {
  await program?.stop();
  await client?.end();
  await database?.drop();
  await site?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  program = runProgram(env);
  await program.printed('Parley is ready');
}

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape
async function cli(...args: string[]): Promise<any> {
  const asOwner = { PARLEY_URL: program.url, PARLEY_CONFIG_DIR: folder };
  const { code, stdout, stderr } = await runCli(args, asOwner, `${OWNER.password}\n`);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

test(`after a kill during the reading of a site, each page is one document and is read once (seed ${SEED})`, async () => {
  const { id: agent } = await cli('agents', 'create', '--name', 'Concierge');
  const { id } = await cli('sites', 'add', `${site.url}/help/`, '--agent', agent);
  let random = SEED;
  const wait = () => (random = (random * 48_271) % 2_147_483_647) % 1_500;
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 500 + wait()));
    await killProgram(program, client);
    // The lease of a dead worker is 60 s long; this simulates its end.
    await client.query('UPDATE document_source SET due_at = now() WHERE due_at IS NOT NULL');
    await start();
  }
  await expect
    .poll(() => cli('sites', 'list', '--agent', agent), { timeout: 60_000, interval: 1_000 })
    .toMatchObject({ data: [{ id, state: 'done', pages: { known: PAGES, read: PAGES, faults: 0 } }] });
  const { rows } = await client.query<{ text: string }>('SELECT text FROM document');
  const numbers = rows.map(({ text }) => Number(/number (\d+)/.exec(text)?.[1]));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: PAGES }, (_, at) => at));
  const asked = site.asked.filter(({ path: one }) => one.startsWith('/help/'));
  // At most the page that was open when the program died is requested again.
  expect(asked.length).toBeLessThanOrEqual(PAGES + KILLS);
  expect(site.most()).toBe(1);
});
