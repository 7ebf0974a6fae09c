import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, settled, startJourney, tooWide, type Journey, type Owner } from './dashboard-browser.ts';

const LONG = 'Maximiliana Alexandrowna von Hohenzollern-Sigmaringen the 3rd';
const ARABIC = 'عبد الرحمن بن محمد بن عبد العزيز آل خليفة المهندس الاستشاري';
const TAGS = ['vip', 'gold-customer-since-2019', 'newsletter', 'complaint-open', 'wholesale'];
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** How far the rows of a list are wider than their frame, which then scrolls, in pixels. */
const TABLE_OVERFLOW = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main table').parentElement)`;

/** Returns whether the first and the last letter of an element are in its visible part. */
// oxlint-disable-next-line typescript/no-explicit-any -- the types of a page are unknown in a test
function endsInView(element: any): boolean[] {
  const text = element.firstChild;
  const { left, right } = element.getBoundingClientRect();
  return [0, text.textContent.length - 1].map((at) => {
    const range = element.ownerDocument.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const letter = range.getBoundingClientRect();
    return letter.left >= left - 1 && letter.right <= right + 1;
  });
}

/** Pages with names of 60 characters, in both directions, with many tags and large numbers. */
describe.skipIf(!CHROMIUM)('pages with long names', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let agent: string;
  let trigger: string;

  let make: Owner['make'];
  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
    agent = (await make('/agents', { name: LONG, definition: {} })).id;
    await make('/agents', { name: ARABIC, definition: {} });
    for (const [at, name] of [LONG, ARABIC, 'Lucy'].entries())
      await make('/end-users', {
        name,
        external_id: `crm-100000${at}`,
        email: `person.with.a.long.address.${at}@northwind-trading-company.example`,
        phone: `+9745550000${at}`,
        tags: TAGS,
      });
    for (const label of [LONG, ARABIC])
      await make('/keys', { label, scope: 'agent', agent_id: agent, permissions: ['triggers', 'channels'] });
    trigger = (await make('/triggers', { agent_id: agent, name: 'Order update' })).id;
    const end_user = { external_id: 'crm-1000000' };
    await make(`/triggers/${trigger}/test`, { end_user, message: 'Do you wrap gifts?' });
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, { viewport = DESK, liked = {} } = {}): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, viewport, liked });
    await settled(page);
    return page;
  };

  it.each(['/end-users', '/settings/integrations/api-keys'])(
    'all columns of %s fit in a window of 1280',
    async (path) => {
      const page = await at(path);
      await page.getByRole('cell', { name: LONG }).first().waitFor();
      expect(await page.evaluate(TABLE_OVERFLOW)).toBe(0);
      const name = page.locator('[data-row] td:first-child a').filter({ hasText: LONG });
      // A word is not broken after each few letters.
      expect(await name.evaluate((link) => link.getBoundingClientRect().width)).toBeGreaterThan(95);
    },
  );

  it('a list shows the number of tags that have no place', async () => {
    const page = await at('/end-users');
    const row = page.locator('[data-row]').filter({ hasText: 'Lucy' });
    expect(await row.getByTitle('complaint-open, wholesale').textContent()).toBe('+2');
  });

  it('a name of the other direction begins at the side of its column', async () => {
    const page = await at('/agents');
    const align = (name: string): Promise<string> =>
      page
        .getByRole('link', { name })
        .evaluate((link) => link.ownerDocument.defaultView!.getComputedStyle(link).textAlign);
    expect([await align(LONG), await align(ARABIC)]).toEqual(['left', 'left']);
  });

  it('a cut name keeps its beginning in Arabic', async () => {
    const page = await at('/conversations', { viewport: PHONE, liked: { language: 'ar' } });
    const name = page.locator('[data-row] bdi').filter({ hasText: LONG }).first();
    expect(await name.evaluate(endsInView)).toEqual([true, false]);
    await page.locator('[data-row]').first().click();
    const title = page.getByRole('heading', { level: 1, name: LONG }).locator('bdi');
    await title.waitFor();
    expect(await title.evaluate(endsInView)).toEqual([true, false]);
  });

  it('the parts of Home do not move while the parts above them load', async () => {
    const { page } = await journey.open('/favicon.svg', { as: OWNER, viewport: DESK });
    await page.addInitScript(SHIFT);
    // The part below is ready first.
    await page.route('**/numbers?*', async (route) => {
      await page.getByText('Do you wrap gifts?').waitFor({ state: 'attached' });
      await route.continue();
    });
    await page.goto(`${journey.app.url}/`);
    await settled(page);
    await page.getByText('What happened').waitFor();
    await page.getByText('Do you wrap gifts?').waitFor();
    expect(await page.evaluate('window.shift')).toBeLessThan(0.014);
  });

  it('a part of Home that was visible stays visible while a part above it loads again', async () => {
    const page = await at('/');
    const question = page.getByText('Do you wrap gifts?');
    await question.waitFor();
    // No part of a page loads again in this way, except after a failure, so the test adds the sign of loading.
    await page.getByRole('heading', { name: 'What happened' }).evaluate((one) => one.setAttribute('aria-busy', 'true'));
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await question.isVisible()).toBe(true);
  });

  it('Home shows a new question without an answer while it is open', async () => {
    const { page } = await journey.open('/favicon.svg', { as: OWNER, viewport: DESK, timezoneId: 'UTC' });
    await page.clock.install();
    await page.goto(`${journey.app.url}/`);
    await page.getByText('Do you wrap gifts?').waitFor();
    await make(`/triggers/${trigger}/test`, { end_user: { external_id: 'crm-1000001' }, message: 'Is parking free?' });
    await expect
      .poll(async () => {
        await page.clock.runFor(2_000);
        return page.getByText('Is parking free?').count();
      })
      .toBeGreaterThan(0);
  });

  // Later windows open in the new organization.
  it('the button to another organization with a long name fits a phone', async () => {
    await journey.api(`PATCH /organizations/${orgId}`, { name: LONG }, cookie);
    await journey.api('POST /organizations', { name: 'Southwind' }, cookie);
    const page = await at(`/agents/${agent}`, { viewport: PHONE });
    const button = page.getByRole('button', { name: /^Switch to .*3rd/ });
    await button.waitFor();
    expect(await tooWide(page)).toEqual([]);
    const label = button.locator('.mantine-Button-label');
    expect(await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });
});

const SHIFT = `
window.shift = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; })
  .observe({ type: 'layout-shift', buffered: true });`;
