import type { Page, Request } from '@playwright/test';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { conversation, message } from '../../src/store/schema/conversation.ts';
import { run } from '../../src/store/schema/run.ts';
import { CHROMIUM, KEYS, OWNER, startJourney, type Journey } from './dashboard-browser.ts';

/** Changes by others appear without a reload: through the stream, and by polling without a stream. */
describe.skipIf(!CHROMIUM)('a dashboard that is left open', () => {
  let journey: Journey;
  let orgId: string;
  let org: string;
  let cookie: string;
  let agentId: string;
  let trigger: string;

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    org = `/organizations/${orgId}`;
    const agent = await journey.api(
      `POST ${org}/agents`,
      { name: 'Concierge', definition: { opening: { default: 'Hello {{end_user.name}}.' } } },
      cookie,
    );
    agentId = agent.body.id;
    trigger = (await journey.api(`POST ${org}/triggers`, { agent_id: agentId, name: 'Order update' }, cookie)).body.id;
  });
  afterAll(() => journey?.stop());

  const givenConversation = async (name: string): Promise<string> => {
    const end_user = { external_id: name, name };
    const { body } = await journey.api(`POST ${org}/triggers/${trigger}/test`, { end_user }, cookie);
    return body.conversation_id;
  };
  const live = (page: Page) => page.getByRole('status').getByText('Live', { exact: true }).first();
  /**
   * The first requests of a page may be late on a busy machine, but a polling page always sends a request within this
   * time.
   */
  const SILENCE_MS = 3_000;
  const LATE_MS = 30_000;
  const comesToRest = async (page: Page): Promise<boolean> => {
    const began = performance.now();
    let last = began;
    const note = (request: Request): void => {
      if (/\/conversations/.test(new URL(request.url()).pathname)) last = performance.now();
    };
    page.on('request', note);
    while (performance.now() - last < SILENCE_MS && performance.now() - began < LATE_MS) await page.waitForTimeout(50);
    page.off('request', note);
    return performance.now() - last >= SILENCE_MS;
  };

  it('a window shows changes of another one, and sends no requests while nothing changes', async () => {
    const id = await givenConversation('Omar');
    const mine = await journey.open(`/conversations/${id}`, { as: OWNER });
    const other = await journey.open(`/conversations/${id}`, { as: OWNER });
    const log = other.page.getByRole('log');
    await log.getByText('Hello Omar.').waitFor();
    await live(other.page).waitFor();
    expect(await comesToRest(other.page)).toBe(true);

    await mine.page.getByLabel('Write as the end user').fill('Is anybody there?');
    await mine.page.keyboard.press('Enter');
    await log.getByText('Is anybody there?').waitFor();
    await mine.page.getByRole('button', { name: 'Take over' }).click();
    await other.page.getByRole('button', { name: 'Hand back to the agent' }).waitFor();
    await other.page.locator(`[data-row="${id}"]`).getByText('Waiting now').waitFor();
    await mine.page.getByLabel('Write a reply').fill('This is Asha.');
    await mine.page.keyboard.press('Enter');
    await log.getByText('This is Asha.').waitFor();

    const newcomer = await givenConversation('Layla');
    await other.page.locator(`[data-row="${newcomer}"]`).waitFor();
    expect([...mine.faults, ...other.faults]).toEqual([]);
  });

  it('a page shows a turn in progress, the status of a message, and the reason of a failure', async () => {
    const id = await givenConversation('Noor');
    const { db } = journey.app;
    const { page, faults } = await journey.open(`/conversations/${id}`, { as: OWNER });
    const log = page.getByRole('log');
    await log.getByText('Hello Noor.').waitFor();
    await live(page).waitFor();
    await db.update(run).set({ status: 'running' }).where(eq(run.conversationId, id));
    await log.getByText('The agent is writing…').waitFor();
    await db.update(run).set({ status: 'waiting_for_user' }).where(eq(run.conversationId, id));
    await log.getByText('The agent is writing…').waitFor({ state: 'detached' });

    for (const [status, words] of [
      ['queued', 'waiting to be sent'],
      ['sent', 'sent'],
      ['delivered', 'delivered'],
      ['read', 'read'],
    ]) {
      await db.update(message).set({ status }).where(eq(message.conversationId, id));
      await log.locator(`[data-delivery="${status}"]`).getByText(words!, { exact: true }).waitFor();
    }
    const error = { code: 'recipient_unreachable', detail: 'The phone is off.', provider_code: '63024' };
    await db.update(message).set({ status: 'failed', attempts: 3, error }).where(eq(message.conversationId, id));
    await log.getByText('Why?', { exact: true }).click();
    await log.getByText('The phone is off.').waitFor();
    await log.getByText('63024').waitFor();
    await log.getByText('Tried 3 times.').waitFor();
    expect(faults).toEqual([]);
  });

  it('a page reads again soon after a failed read', async () => {
    const id = await givenConversation('Hala');
    const { page } = await journey.open(`/conversations/${id}`, { as: OWNER });
    const log = page.getByRole('log');
    await log.getByText('Hello Hala.').waitFor();
    await live(page).waitFor();
    expect(await comesToRest(page)).toBe(true);
    let reads = 0;
    await page.route(`**/conversations/${id}`, (route) =>
      ++reads === 1 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await journey.app.db.update(run).set({ status: 'running' }).where(eq(run.conversationId, id));
    // This is much earlier than the page's own complete check every 30 s.
    await log.getByText('The agent is writing…').waitFor({ timeout: 20_000 });
    expect(reads).toBeGreaterThan(1);
  });

  it(
    'a page polls visibly while the stream is blocked, and then uses the stream again',
    { tags: ['long'] },
    async () => {
      const id = await givenConversation('Rana');
      const { page } = await journey.open(`/conversations/${id}`, { as: OWNER });
      const log = page.getByRole('log');
      await live(page).waitFor();
      await page.route('**/changes?*', (route) => route.abort());
      // The server ends its streams when it cannot read the database, and new streams fail.
      const comesAgain = page.waitForRequest('**/changes?*');
      const blind = vi.spyOn(journey.app.db, 'execute').mockRejectedValue(new Error('connection terminated'));
      // The page's own requests fail too.
      await page.getByText('Not live: trying again…').first().waitFor();
      await comesAgain;
      blind.mockRestore();
      await page.getByText('Every 2 seconds', { exact: true }).first().waitFor();
      await journey.api(`POST ${org}/conversations/${id}/reply`, { text: 'Said while polling.' }, cookie);
      await log.getByText('Said while polling.').waitFor();

      await page.unroute('**/changes?*');
      await live(page).waitFor({ timeout: 60_000 });
      expect(await comesToRest(page)).toBe(true);
      await journey.api(`POST ${org}/conversations/${id}/reply`, { text: 'Said over the stream.' }, cookie);
      await log.getByText('Said over the stream.').waitFor();
    },
  );

  it(
    'a search finds a conversation by its messages, and the URL keeps the search text',
    { tags: ['long'] },
    async () => {
      const id = await givenConversation('Samir');
      await journey.api(`POST ${org}/conversations/${id}/reply`, { text: 'Your parcel is in Doha.' }, cookie);
      const { page } = await journey.open('/conversations', { as: OWNER });
      await page.getByRole('searchbox').fill('parcel is in');
      await page.locator(`[data-row="${id}"]`).waitFor();
      await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
      expect(new URL(page.url()).searchParams.get('text')).toBe('parcel is in');
      await page.reload();
      await page.locator(`[data-row="${id}"]`).waitFor();
      expect(await page.locator('[data-row]').count()).toBe(1);
      await journey.app.db.update(conversation).set({ status: 'resolved' }).where(eq(conversation.id, id));
      await page.locator(`[data-row="${id}"]`).getByText('Resolved').waitFor();
    },
  );

  it('the first call, its run and the last use of the key appear without a reload', async () => {
    const { id, value } = await journey.app.key(orgId, { permissions: ['triggers'] });
    const steps = await journey.open('/', { as: OWNER });
    const keys = await journey.open(KEYS, { as: OWNER });
    const runs = await journey.open(`/triggers/${trigger}`, { as: OWNER });
    await steps.page.getByText('Waiting for your first request').waitFor();
    const row = keys.page.getByRole('row', { name: 'Test' });
    await row.getByText('Never', { exact: true }).waitFor();
    const { body } = await journey.app.call('POST', `/api/triggers/${agentId}/${trigger}`, { key: value, body: {} });
    await steps.page.getByText('Waiting for your first request').waitFor({ state: 'detached' });
    await row.getByText('Never', { exact: true }).waitFor({ state: 'detached' });
    await runs.page.getByText(body.id).waitFor();
    expect(id).toMatch(/^key_/);
    expect([...steps.faults, ...keys.faults, ...runs.faults]).toEqual([]);
  });

  it('a revoke shows the node that it waits for, and then that it is finished', async () => {
    const { db } = journey.app;
    await journey.app.key(orgId, { permissions: ['channels'] });
    const { page, faults } = await journey.open(`${KEYS}?permission=channels`, { as: OWNER });
    // Another server renews its lease but does not read the change log.
    const node = newId('node');
    await db.execute(sql`INSERT INTO node_lease (node_id, applied_seq) VALUES (${node}, 0)`);
    const busy = setInterval(() => {
      void db.$client.query('UPDATE node_lease SET renew_no = renew_no + 1 WHERE node_id = $1', [node]);
    }, 150);
    try {
      await page.getByRole('row', { name: 'Test' }).getByRole('button', { name: 'Revoke' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('waiting for 1 server, about a second at most').waitFor();
      // Now this server hangs completely, so its lease expires.
      clearInterval(busy);
      await dialog.getByText('refused by all servers since').waitFor();
    } finally {
      clearInterval(busy);
    }
    expect(faults).toEqual([]);
  });
});
