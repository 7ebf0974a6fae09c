import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, settled, startJourney, type Journey } from './dashboard-browser.ts';

/** The work of a browser without a cache, until the first row. A slow network costs a round trip for each step. */
const MOST = {
  '/conversations': { requests: 20, scriptBytes: 165_000 },
  '/sign-in': { requests: 12, scriptBytes: 155_000 },
};

describe.skipIf(!CHROMIUM)('the first load of a page', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney();
    const { cookie, orgId } = await journey.owner();
    const call = async (line: string, body: unknown) => {
      const [method, path] = line.split(' ') as [string, string];
      return (await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie)).body;
    };
    const { id: agent_id } = await call('POST /agents', { name: 'Concierge', definition: {} });
    const { id: trigger } = await call('POST /triggers', { agent_id, name: 'Order update' });
    await call(`POST /triggers/${trigger}/test`, { end_user: { external_id: 'dana', name: 'Dana' }, message: 'Hello' });
  });
  afterAll(() => journey?.stop());

  it.each(['/conversations', '/sign-in'] as const)('%s needs few requests and few bytes of code', async (path) => {
    const { page, context, faults } = await journey.open('/favicon.svg', path === '/sign-in' ? {} : { as: OWNER });
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
});
