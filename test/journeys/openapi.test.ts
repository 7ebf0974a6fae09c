import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';

/** The complete description of the running program, as a client generator gets it. */
const REDOCLY = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));

let parley: TestApp;
let document: {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, { responses: object }>>;
};

beforeAll(async () => {
  parley = await startTestApp();
  document = (await parley.call('GET', '/api/openapi.json')).body;
});
afterAll(() => parley.stop());

test('the description is valid OpenAPI 3.1 of this region', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.servers).toEqual([expect.objectContaining({ url: parley.config.baseUrl })]);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-openapi-'));
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  try {
    execFileSync(REDOCLY, ['lint', file, '--extends=minimal'], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
      stdio: 'pipe',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

/** The routes that need no key, and the response to a call without a body. */
const OPEN: Record<string, number> = { '/api/health': 200, '/api/openapi.json': 200, '/api/keys/leaked': 400 };

test('every path exists and refuses callers without a key', async () => {
  const paths = Object.entries(document.paths).filter(([name]) => name.startsWith('/api/'));
  expect(paths.length).toBeGreaterThan(5);
  for (const [name, operations] of paths) {
    for (const method of Object.keys(operations)) {
      const answer = await parley.call(method.toUpperCase(), name.replaceAll(/\{(\w+)\}/g, '$1'));
      expect(answer.status, `${method} ${name}`).toBe(OPEN[name] ?? 401);
    }
  }
});

test('a client that has the current description gets 304', async () => {
  const first = await parley.call('GET', '/api/openapi.json');
  const again = await parley.call('GET', '/api/openapi.json', {
    headers: { 'if-none-match': first.headers.get('etag')! },
  });
  expect(again.status).toBe(304);
});
