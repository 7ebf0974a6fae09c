import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHROMIUM, OWNER, settled, startJourney, type Journey } from './dashboard-browser.ts';

/** The work of a browser without a cache, until the first row. A slow network costs a round trip for each step. */
const MOST = {
  '/conversations': { requests: 20, scriptBytes: 150_000 },
  '/sign-in': { requests: 12, scriptBytes: 150_000 },
};

describe.skipIf(!CHROMIUM)('the first load of a page', () => {
  let journey: Journey;
  const conversations: string[] = [];
  let act: (call: string) => Promise<unknown>;
  beforeAll(async () => {
    journey = await startJourney();
    const { cookie, orgId } = await journey.owner();
    const call = async (line: string, body: unknown) => {
      const [method, path] = line.split(' ') as [string, string];
      return (await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie)).body;
    };
    const { id: agent_id } = await call('POST /agents', { name: 'Concierge', definition: {} });
    const { id: trigger } = await call('POST /triggers', { agent_id, name: 'Order update' });
    const read = async (id: string) =>
      (await journey.api(`GET /organizations/${orgId}/conversations/${id}`, undefined, cookie)).body;
    for (const name of ['Dana', 'Omar', 'Noor', 'Sami', 'Lucy']) {
      const end_user = { external_id: name, name };
      const { conversation_id: id } = await call(`POST /triggers/${trigger}/test`, { end_user, message: 'Hello' });
      conversations.push(id);
      // Nothing changes by itself afterwards. Turns that one transaction stores would have the same time.
      const isDone = async () => expect((await read(id)).runs[0].status).toBe('waiting_for_user');
      await vi.waitFor(isDone, { timeout: 60_000, interval: 20 });
    }
    act = async (path) => (await call(path, undefined)) as unknown;
  });
  afterAll(() => journey?.stop());

  it.each(['/conversations', '/sign-in'] as const)('%s needs few requests and few bytes of code', async (path) => {
    const { page, context, faults } = await journey.open('/favicon.svg', path === '/sign-in' ? {} : { as: OWNER });
    await page.addInitScript(NOT_IDLE);
    const browser = await context.newCDPSession(page);
    await browser.send('Network.enable');
    await browser.send('Network.setCacheDisabled', { cacheDisabled: true });
    const types = new Map<string, string>();
    const found = { requests: 0, scriptBytes: 0 };
    browser.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
    browser.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      found.requests++;
      if (types.get(requestId) === 'Script') found.scriptBytes += encodedDataLength;
    });
    await page.goto(journey.app.url + path);
    if (path === '/conversations') await page.getByText('Dana').first().waitFor();
    await settled(page);
    const most = MOST[path];
    expect(found.requests).toBeGreaterThan(5);
    expect(found.requests).toBeLessThanOrEqual(most.requests);
    expect(found.scriptBytes).toBeGreaterThan(50_000);
    expect(found.scriptBytes).toBeLessThanOrEqual(most.scriptBytes);
    expect(faults).toEqual([]);
  });

  /** The inbox without its timers, so that every request and every render has another cause. */
  async function givenInbox() {
    const { page, faults } = await journey.open('/favicon.svg', { as: OWNER });
    await page.addInitScript(COUNT);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url().replace(/.*\/organizations\/[^/]+/, request.method())));
    await page.goto(`${journey.app.url}/conversations`);
    await page.getByText('Live', { exact: true }).waitFor();
    const open = async (id: string): Promise<void> => {
      await page.locator(`[data-row="${id}"]`).click();
      await page.locator(`[data-row="${id}"][aria-current]`).waitFor();
      await page.getByRole('textbox', { name: 'Write as the end user' }).waitFor();
    };
    const many = (pattern: RegExp): number => requests.filter((one) => pattern.test(one)).length;
    return { page, requests, faults, open, many };
  }

  it('opening a conversation takes one stream and two rendered rows, and does not read the list again', async () => {
    const { page, requests, faults, open, many } = await givenInbox();
    const [before, id, ...others] = conversations;
    const reads = (one: string): number => many(new RegExp(`^GET/conversations/${one}$`));
    await open(before!);
    // The second read follows the first event of the stream, which names the new topics.
    await expect.poll(() => reads(before!)).toBe(2);
    // On a busy machine, later reads of the first conversation are still in progress.
    let seen = -1;
    const isQuiet = (): boolean => seen === (seen = requests.length);
    await expect.poll(isQuiet, { interval: 2_500, timeout: 20_000 }).toBe(true);
    requests.length = 0;
    const times = await page.evaluate<Record<string, string>>(`Object.fromEntries(
      [...document.querySelectorAll('[data-row]')].map((row) => [row.dataset.row, row.querySelector('time').dateTime]))`);
    await page.evaluate('window.formatted = []');
    await open(id!);
    await expect.poll(() => reads(id!)).toBe(2);
    expect(many(/^GET\/changes/)).toBe(1);
    expect(many(/^GET\/conversations(?:\?limit|\/counts)/)).toBe(0);
    // Data that was read before the stream opened is read once more.
    const paths = Map.groupBy(requests, (one) => one.replace(/\?.*/, ''));
    expect(paths.size, [...paths.keys()].join('\n')).toBeLessThanOrEqual(MOST_TO_OPEN);
    for (const [path, all] of paths) expect(all.length, path).toBeLessThanOrEqual(2);
    const formatted = await page.evaluate<string[]>('window.formatted');
    expect(formatted).toContain(times[id!]);
    for (const other of others) expect(formatted).not.toContain(times[other]);
    expect(faults).toEqual([]);
  });

  it('a change causes one read of data that several parts of the page show', async () => {
    const { page, requests, faults, many } = await givenInbox();
    const id = conversations.at(-1)!;
    requests.length = 0;
    await act(`POST /conversations/${id}/take-over`);
    await page.locator(`[data-row="${id}"]`).getByText('Waiting', { exact: false }).waitFor();
    await page.getByRole('button', { name: /^Mine 1/ }).waitFor();
    // A change may be found in two steps.
    expect(many(/counts/)).toBeGreaterThan(0);
    expect(many(/counts/)).toBeLessThanOrEqual(2);
    expect(faults).toEqual([]);
  });
});

/** The paths: one for each kind of data that a conversation needs, the stream, and the presence of the reader in both. */
const MOST_TO_OPEN = 9;

/** The page does not load the code that an idle page loads, because a slow test would count it. */
const NOT_IDLE = 'window.requestIdleCallback = () => 0;';

/**
 * Each rendered row formats its time for the title. Slow timers and code that an idle page loads are off, because they
 * send requests and render too.
 */
const COUNT = `
  const every = setInterval, toText = Date.prototype.toISOString;
  window.formatted = [];
  window.setInterval = (act, ms, ...rest) => ms >= 5_000 ? 0 : every(act, ms, ...rest);
  ${NOT_IDLE}
  Date.prototype.toISOString = function () {
    const text = toText.call(this);
    window.formatted.push(text);
    return text;
  };`;
