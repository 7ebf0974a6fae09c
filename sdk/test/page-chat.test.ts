import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { rolldown } from 'rolldown';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { CHROMIUM, openBrowser } from '../../test/journeys/dashboard-browser.ts';

/** The example site in a real browser, on another origin than the server. */
const ROOT = path.resolve(import.meta.dirname, '..', '..');
const MAX_GZIP_BYTES = 8_000;
let folder: string;
let app: TestApp;
let site: ChildProcess;
let origin: string;
let page: Page;

async function bundle(input: string, external: string[] = []): Promise<string> {
  const made = await rolldown({ input: path.join(ROOT, 'sdk', 'src', input), platform: 'browser', external });
  const { output } = await made.generate({ format: 'esm', minify: false });
  await made.close();
  return output[0].code;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-page-'));
  writeFileSync(path.join(folder, 'browser.js'), await bundle('browser.ts'));
  if (!CHROMIUM) return;
  app = await startTestApp();
  const orgId = await givenOrganization(app.db);
  const { agentId } = await givenAgent(app.db, orgId);
  const trigger = await givenTrigger(app.db, orgId, agentId);
  const { value } = await app.key(orgId, { permissions: ['triggers'] });
  const free = createServer().listen(0, 'localhost');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  origin = `http://localhost:${port}`;
  site = spawn(process.execPath, [path.join(ROOT, 'examples', 'web-page', 'server.mjs')], {
    env: {
      PARLEY_URL: app.url,
      PARLEY_API_KEY: value,
      AGENT: agentId,
      TRIGGER: trigger,
      PORT: `${port}`,
      SDK: path.join(folder, 'browser.js'),
    },
  });
  await once(site.stdout!, 'data');
  page = await (await (await openBrowser()).newContext()).newPage();
});
afterAll(async () => {
  await page?.context().close();
  site?.kill();
  await app?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const roles = (): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('li')].map((line) => line.dataset.role)`);
async function say(text: string, answers: number): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(async () => (await roles()).filter((role) => role === 'agent').length).toBe(answers);
  await expect.poll(() => page.getByRole('status').textContent()).toBe('');
}

test('the code for pages is small and imports nothing', () => {
  const code = readFileSync(path.join(folder, 'browser.js'), 'utf8');
  expect(gzipSync(code).length).toBeLessThan(MAX_GZIP_BYTES);
  expect(code).not.toMatch(/^import /m);
});

test('the hook imports only React', async () => {
  const code = await bundle('react.ts', ['react']);
  expect([...code.matchAll(/from "([^"]+)"/g)].map(([, name]) => name)).toEqual(['react']);
});

describe.runIf(CHROMIUM)('the example site in Chromium', () => {
  test('a page of another origin talks to the agent, and continues after a reload', async () => {
    const refused: string[] = [];
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()));
    await page.goto(origin);
    await say('Hello', 1);
    await say('And another question', 2);
    expect(await roles()).toEqual(['end_user', 'agent', 'end_user', 'agent']);
    await page.reload();
    await expect.poll(roles).toEqual(['end_user', 'agent', 'end_user', 'agent']);
    await say('One more', 3);
    expect(refused).toEqual([]);
    const { rows } = await app.db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM conversation`);
    expect(rows[0]!.n).toBe(1);
  });

  test('the chat gets a new token when the old one is refused, and reconnects a broken stream', async () => {
    let tokens = 0;
    page.on('request', (request) => void (request.url().endsWith('/chat-token') && tokens++));
    await page.route('**/runs/*/events', (route) => route.abort('connectionreset'), { times: 1 });
    await page.route(
      '**/api/triggers/*/*',
      (route) =>
        route.fulfill({
          status: 401,
          headers: { 'access-control-allow-origin': origin },
          json: { code: 'client_token_expired', detail: 'Expired' },
        }),
      { times: 1 },
    );
    await say('After the expiry', 4);
    expect(tokens).toBe(1);
  });

  test('the React hook talks to the agent, also in strict mode', async () => {
    await page.goto(origin);
    await page.addScriptTag({ type: 'module', content: await bundleApp() });
    await page.getByRole('button', { name: 'Ask' }).click();
    const lines = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('#app li')].map((line) => line.dataset.role)`);
    await expect.poll(lines).toEqual(['end_user', 'agent']);
    expect(await page.evaluate(`document.querySelector('#app li').textContent`)).toBe('Hello from React');
  });
});

/** An app of one component, with the real React. */
async function bundleApp(): Promise<string> {
  const entry = path.join(ROOT, 'sdk', 'test', 'app.js');
  const code = `
    import { createElement as h, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { useConversation } from '../src/react.ts';
    const settings = JSON.parse(document.querySelector('#settings').textContent);
    const getToken = async () => (await (await fetch('/chat-token', { method: 'POST' })).json()).token;
    function App() {
      const { messages, send } = useConversation({ ...settings, getToken });
      const lines = messages.map(({ id, role, content }) => h('li', { key: id, 'data-role': role }, content.text));
      return h('div', { id: 'app' }, h('button', { onClick: () => send('Hello from React') }, 'Ask'), h('ol', null, lines));
    }
    createRoot(document.body.appendChild(document.createElement('div'))).render(h(StrictMode, null, h(App)));`;
  const made = await rolldown({
    input: entry,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    plugins: [
      { name: 'app', resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? code : null) },
    ],
  });
  const { output } = await made.generate({ format: 'esm' });
  await made.close();
  return output[0].code;
}
