import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { CHROMIUM, openBrowser } from '../../test/journeys/dashboard-browser.ts';

/** Runs the client library in a real browser and checks which calls a page may make. */
let app: TestApp;
let site: Server;
let page: Page;
let apiKey: string;
let orgId: string;
let agent: string;
let trigger: string;
let channel: string;

beforeAll(async () => {
  if (!CHROMIUM) return;
  app = await startTestApp();
  orgId = await givenOrganization(app.db);
  ({ agentId: agent } = await givenAgent(app.db, orgId));
  trigger = await givenTrigger(app.db, orgId, agent);
  apiKey = (await app.key(orgId, { permissions: ['triggers', 'end_users'] })).value;
  const bundle = await rolldown({ input: path.join(import.meta.dirname, '..', 'src', 'parley.ts') });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  site = createServer(({ url }, response) => {
    const isLibrary = url === '/parley.js';
    response
      .writeHead(200, { 'content-type': isLibrary ? 'text/javascript' : 'text/html' })
      .end(isLibrary ? output[0].code : '<!doctype html><title>Shop</title>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  channel = await givenChannel(app.db, orgId, agent, {
    kind: 'web_chat',
    settings: { allowed_origins: [origin()] },
    sealingKey: app.secrets.sealingKey,
  });
  page = await (await (await openBrowser()).newContext()).newPage();
  await page.goto(origin());
});
afterAll(async () => {
  await page?.context().close();
  site?.closeAllConnections();
  site?.close();
  await app?.stop();
});

// The page has another host and another port than the server.
const origin = (): string => `http://localhost:${(site.address() as AddressInfo).port}`;

/** Runs the body of a function in the page. A thrown error is returned as its name, code and message. */
// oxlint-disable-next-line typescript/no-explicit-any -- foreign objects, read by tests
const inPage = (body: string): Promise<any> =>
  page.evaluate(`(async () => {
    const { Parley, isParleyError } = await import('/parley.js');
    const [baseUrl, apiKey, agent, trigger, channel] = ${JSON.stringify([app.url, apiKey, agent, trigger, channel])};
    try { ${body} } catch (error) {
      return { name: error.name, ours: isParleyError(error), code: error.code, status: error.status, attempts: error.attempts, message: error.message };
    }
  })()`);
const people = async (): Promise<number> =>
  (await app.call('GET', '/api/end-users?external_id=from-a-page', { key: apiKey })).body.data.length;

describe.runIf(CHROMIUM)('the library in a page of Chromium', () => {
  test('the library in a page refuses an API key before it sends a request', async () => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    expect(await inPage('new Parley({ baseUrl, apiKey });')).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('call Parley from your backend'),
    });
    expect(sent.filter((url) => url.startsWith(app.url))).toEqual([]);
  });

  test('a call with a valid key from another origin has no effect, and the error explains this', async () => {
    const refused = await inPage(`
      const parley = new Parley({ baseUrl, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
      await parley.endUsers.create({ external_id: 'from-a-page' });`);
    expect(refused).toMatchObject({ name: 'ParleyError', ours: true, code: 'connection_failed', status: 0 });
    expect(refused.message).toContain('allows no call from a page of another origin');
    expect(await people()).toBe(0);
    const started = await inPage(`
      const parley = new Parley({ baseUrl, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
      await parley.triggers.start(agent, trigger);`);
    expect(started).toMatchObject({ code: 'connection_failed', attempts: 1 });
    expect((await app.call('GET', `/api/triggers/${agent}/${trigger}/runs`, { key: apiKey })).body.data).toEqual([]);
  });

  test('a page on an allowed origin calls the web chat without a key', async () => {
    const answer = await inPage(`
      const parley = new Parley({ baseUrl, maxRetries: 0 });
      await parley.request('GET', '/chat/' + channel + '/messages');`);
    // The page may read the response: a refusal with a code, because the visitor's token is missing.
    expect(answer).toMatchObject({ ours: true, code: 'visitor_token_invalid', status: 401 });
    // The routes of the web chat refuse an Idempotency-Key, which the library sends with every POST.
    const opened = await inPage(`
      const parley = new Parley({ baseUrl, maxRetries: 0 });
      await parley.request('POST', '/chat/' + channel + '/sessions', { body: {} });`);
    expect(opened).toMatchObject({ ours: true, code: 'connection_failed' });
    const session = await inPage(`
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(baseUrl + '/chat/' + channel + '/sessions', { method: 'POST', headers, body: '{}' });
      return { status: response.status, token: (await response.json()).token };`);
    expect(session.status).toBe(200);
    const read = await inPage(`
      const parley = new Parley({ baseUrl, maxRetries: 0 });
      const headers = { authorization: 'Bearer ${session.token}' };
      return parley.request('GET', '/chat/' + channel + '/messages', { headers });`);
    expect(read).toMatchObject({ data: [], has_more: false });
  });

  test('webhooks.verify and the error classes load in a page', async () => {
    expect(
      await inPage(`
        const { webhooks } = await import('/parley.js');
        await webhooks.verify('{}', new Headers(), 'whsec_' + btoa('x'.repeat(32)));`),
    ).toMatchObject({ name: 'WebhookVerificationError' });
  });
});
