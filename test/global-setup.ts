import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findHolder } from '../src/store/embedded/data-lock.ts';
import { findPostmaster, stopProcess } from '../src/store/embedded/server.ts';
import { startEmbeddedPostgres } from '../src/store/embedded/start-embedded-postgres.ts';
import { addCells, migrate } from '../src/store/migrate.ts';
import { startCitus } from './citus/cluster.ts';
import { startSystemPostgres } from './system-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { adminUrl: string; template: string; workers: string[] };
  }
}

const PREFIX = 'parley-test-';
const TEMPLATE = 'parley';
const TUNING = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_connections: '400' };
/**
 * A test run needs about 1 GB, and a killed run before it occupies as much. Containers often have only 64 MB of shared
 * memory.
 */
const NEEDED_BYTES = 4 * 1_024 ** 3;
const MEMORY = '/dev/shm';
const quiet = { info: () => {}, warn: console.warn, error: console.error };

/**
 * Starts one real Postgres for the whole run, in a temporary folder, in memory if there is room. The server's `parley`
 * database is migrated once, and each test file gets a copy. The server's writes do not wait for the disk (fsync off).
 * Tests of a power loss start their own server. With TEST_SERVER=system, the server is the PostgreSQL of this system,
 * over TCP.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.TEST_SERVER === 'system') {
    const postgres = await startSystemPostgres(TUNING);
    await provide(project, postgres);
    return () => postgres.stop();
  }
  if (process.env.TEST_SERVER === 'citus') return provideCitus(project);
  await removeLeftovers();
  const dataDir = mkdtempSync(path.join(folder(), PREFIX));
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, tuning: TUNING });
  await provide(project, postgres);
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/**
 * A copy of the database is a thousand small files. In memory, a copy takes 0.03 s of processor time, on ext4 up to 0.5
 * s, because ext4 skips the entries of all files that were just deleted.
 */
function folder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY;
}

async function provide(project: TestProject, { url, adminUrl }: { url: string; adminUrl: string }): Promise<void> {
  await migrate(url);
  if (process.env.TEST_CELLS) await placeInCell(url);
  await closeTemplate(adminUrl);
  project.provide('postgres', { adminUrl, template: TEMPLATE, workers: [] });
}

/**
 * Each test file gets a copy of the database on each node. The nodes of a copied database find each other by its name.
 */
async function provideCitus(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCitus(process.env.CITUS_TREE!);
  const [coordinator, ...workers] = cluster.nodes.map(({ adminUrl }) => adminUrl);
  for (const adminUrl of [coordinator!, ...workers]) await closeTemplate(adminUrl);
  project.provide('postgres', { adminUrl: coordinator!, template: TEMPLATE, workers });
  return () => cluster.stop();
}

/** With TEST_CELLS=cell_2, new organizations are in a second cell. */
async function placeInCell(url: string): Promise<void> {
  await addCells(url, 1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER TABLE organization ALTER COLUMN cell SET DEFAULT 'cell_2'`);
  await client.end();
}

/** A template must have no connections during the copy. */
async function closeTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`);
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [TEMPLATE]);
  await client.end();
}

/** A killed run leaves its folder and its running server. */
async function removeLeftovers(): Promise<void> {
  const folders = [tmpdir(), MEMORY].filter((at) => existsSync(at));
  for (const dataDir of folders.flatMap((at) => readdirSync(at).map((name) => path.join(at, name)))) {
    if (!path.basename(dataDir).startsWith(PREFIX)) continue;
    // A folder without a lock file belongs to another run that has just started.
    if (!existsSync(path.join(dataDir, 'parley.lock')) || (await findHolder(dataDir))) continue;
    const postmaster = findPostmaster(dataDir);
    if (postmaster) await stopProcess(postmaster.pid, quiet);
    try {
      rmSync(dataDir, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, so this process must not remove it.
    }
  }
}
