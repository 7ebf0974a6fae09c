/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { REGION_IDS, REGIONS, type Region } from '../../../contract/regions.ts';
import { findRunningPostgres } from '../../../src/store/embedded/start-embedded-postgres.ts';
import { printedCall } from '../../program.ts';

/** `npm run regions`: four installations side by side, with no shared data. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const calls = new Map<Region, ReturnType<typeof printedCall>>();
let dataDir: string;
let launcher: ChildProcess;
let output = '';

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-regions-'));
  launcher = spawn(process.execPath, ['cluster/regions.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launcher.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  launcher.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(() => output.includes('Ctrl-C stops everything') || launcher.exitCode !== null, 240_000);
  const parts = output.split('━━ ').slice(1);
  for (const part of parts) calls.set(part.slice(0, 2) as Region, printedCall(part));
}, 250_000);

afterAll(async () => {
  if (launcher.exitCode === null) {
    launcher.kill('SIGINT');
    await once(launcher, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

const originOf = (region: Region): string => new URL(calls.get(region)!.url).origin;
const me = (region: Region, key: string) =>
  fetch(`${originOf(region)}/api/me`, { headers: { authorization: `Bearer ${key}` } });

test('the start prints URL, setup link and a call for each of the four regions', () => {
  expect([...calls.keys()].sort()).toEqual([...REGION_IDS].sort());
  expect(new Set([...calls.values()].map(({ url }) => new URL(url).origin)).size).toBe(4);
  expect(output.match(/\/setup\?token=/g)).toHaveLength(4);
});

describe.each(REGION_IDS)('a key of %s', (own) => {
  test('a key is accepted in its own region', async () => {
    const answer = await me(own, calls.get(own)!.key);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ region: own, base_url: originOf(own) });
  });

  test.each(REGION_IDS.filter((other) => other !== own))(
    'a key of another region is refused by %s, which names the right URL',
    async (other) => {
      const answer = await me(other, calls.get(own)!.key);
      expect(answer.status).toBe(401);
      const problem = (await answer.json()) as { code: string; detail: string };
      expect(problem.code).toBe('key_wrong_region');
      expect(problem.detail).toContain(originOf(own));
      expect(problem.detail).toContain(REGIONS[own]);
    },
  );
});

test("no personal data of one region is in another region's database", async () => {
  for (const region of REGION_IDS) {
    const { url, key } = calls.get(region)!;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=20' },
      body: JSON.stringify({
        end_user: { external_id: `canary-${region}`, name: `Canary of ${region}` },
        variables: { order_id: `canary-${region}` },
        message: `canary-${region} asks how much delivery costs`,
      }),
    });
    expect(answer.status).toBe(200);
    // Also sent to the wrong region: it is refused before the body is read.
    for (const other of REGION_IDS.filter((one) => one !== region)) {
      const wrong = url.replace(originOf(region), originOf(other));
      const refused = await fetch(wrong, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: `canary-${region}` }),
      });
      expect(refused.status).toBe(401);
    }
  }
  for (const region of REGION_IDS) {
    const everything = await dump(findRunningPostgres(path.join(dataDir, region))!);
    expect(everything).toContain(`canary-${region}`);
    for (const other of REGION_IDS.filter((one) => one !== region)) expect(everything).not.toContain(`canary-${other}`);
  }
});

test('Ctrl-C stops all four regions', async () => {
  launcher.kill('SIGINT');
  const [code] = (await once(launcher, 'exit')) as [number];
  expect(code).toBe(0);
  for (const region of REGION_IDS) expect(findRunningPostgres(path.join(dataDir, region))).toBeNull();
});

/** Every row of every table, as text. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const texts = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string | null }>(
        `SELECT string_agg(t::text, E'\\n') AS text FROM ${name} t`,
      );
      texts.push(rows[0]!.text ?? '');
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}
