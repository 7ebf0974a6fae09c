import type { Page } from '@playwright/test';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Figures of conversations, and the list behind each. */
describe.skipIf(!CHROMIUM)('the page Analytics', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;

  let make: Owner['make'];
  const at = async (path: string, more: object = {}): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, ...more });
    await settled(page);
    return page;
  };
  const tile = (page: Page, name: string) =>
    page.locator('dl > div').filter({ has: page.getByRole('link', { name, exact: true }) });
  const rows = (page: Page) => page.getByRole('table', { name: 'In groups' }).locator('tbody tr');

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
  });
  afterAll(() => journey?.stop());

  it('the page leads to the triggers until the first conversation exists', async () => {
    const page = await at('/analytics');
    await page.getByRole('heading', { name: 'No conversations in these days' }).waitFor();
    await page.getByRole('link', { name: 'Open triggers' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('each figure opens its list with the same filters', async () => {
    const definition = { instructions: 'Be brief.', opening: { default: 'Hello' } };
    const agent = (await make('/agents', { name: 'Concierge', definition })).id;
    const trigger = (await make('/triggers', { agent_id: agent, name: 'Order update' })).id;
    const { value } = await journey.app.key(orgId, { permissions: ['triggers'] });
    for (const name of ['Badr', 'Omar', 'Noor']) {
      const body = { end_user: { external_id: name, name }, message: 'How tall is Mount Kenya?' };
      expect((await journey.app.call('POST', `/api/triggers/${agent}/${trigger}`, { key: value, body })).status).toBe(
        202,
      );
    }
    await expect
      .poll(async () => (await journey.app.db.execute(sql`SELECT FROM message WHERE role = 'agent'`)).rows.length)
      .toBe(3);
    const { data } = (await journey.api(`GET /organizations/${orgId}/conversations`, undefined, cookie)).body;
    await make(`/conversations/${data[0].id}/take-over`, {});
    await make(`/conversations/${data[0].id}/reply`, { text: 'It is 5,199 m high.' });
    await journey.app.db.execute(sql`DELETE FROM analytics_day`);

    const page = await at('/analytics');
    await expect.poll(() => tile(page, 'Conversations').locator('dd').first().innerText()).toBe('3');
    expect(await tile(page, 'Handed over').innerText()).toMatch(/^Handed over\s+1\s+33.3%$/);
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('Agent');
    await rows(page).getByText('Concierge').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/analytics-en.png`, fullPage: true });

    await tile(page, 'Handed over').getByRole('link').click();
    const list = page.getByRole('listbox').or(page.getByRole('list')).getByText(data[0].end_user.name);
    await list.first().waitFor();
    await page.getByRole('button', { name: 'Remove filter: Handed over' }).waitFor();
    for (const one of data.slice(1)) await expect.poll(() => page.getByText(one.end_user.name).count()).toBe(0);
    await page.goBack();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('Member');
    await rows(page)
      .filter({ hasText: 'No member wrote' })
      .getByRole('link', { name: '2', exact: true })
      .first()
      .click();
    await page.getByRole('button', { name: 'Remove filter: No member wrote' }).waitFor();
    await list.first().waitFor({ state: 'detached' });
    for (const one of data.slice(1)) await page.getByText(one.end_user.name).first().waitFor();
    await page.goBack();
    // The link of a row has the filter of the row.
    await rows(page).filter({ hasText: 'Asha' }).getByRole('link', { name: '1', exact: true }).first().click();
    await page.getByRole('button', { name: /^Remove filter: Member: / }).waitFor();
    await list.first().waitFor();
  });

  it.each(['day', 'agent', 'version', 'channel', 'member'])(
    'each number of the groups by %s is the number of rows in its list',
    async (by) => {
      const page = await at(`/analytics?by=${by}`);
      await expect.poll(() => rows(page).count()).toBe(by === 'member' ? 2 : 1);
      const figures = await page.evaluate<[name: string, text: string, href: string | undefined][]>(FIGURES);
      const listed = figures.flatMap(([name, text, href]) =>
        /^[1-9]\d*$/.test(text) ? [[name, Number(text), href]] : [],
      );
      expect(listed.length).toBeGreaterThan(5);
      const found = await Promise.all(
        listed.map(async ([name, , href]) => [name, await countListed(journey, { orgId, cookie }, String(href)), href]),
      );
      expect(found).toEqual(listed);
    },
  );

  it('the URL keeps the period and the filters, which can be changed by keyboard', async () => {
    const page = await at('/analytics');
    await page.getByRole('radio', { name: '30 days' }).press('ArrowRight');
    await expect.poll(() => new URL(page.url()).searchParams.get('days')).toBe('90');
    await page.getByText('Compared with the 90 days before.').waitFor();
    await page.getByRole('radio', { name: '90 days' }).press('ArrowRight');
    await page.getByLabel('First day').fill('2026-01-01');
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe('2026-01-01');
    await page.getByRole('alert').getByText('at most 184 days').waitFor();
    await page.getByLabel('First day').fill(new Date().toISOString().slice(0, 10));
    await page.getByText('Compared with the day before.').waitFor();
    await page.reload();
    await page.getByText('Compared with the day before.').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('analytics.csv');
    expect(new URL(file.url()).searchParams.get('since')).toBe(new URL(page.url()).searchParams.get('since'));
  });

  it('two changes at the same time both stay', async () => {
    const page = await at('/analytics?since=2026-01-01&until=2026-01-31');
    await page.getByLabel('Last day').waitFor();
    const change = (name: string, day: string): string => `(() => {
      const field = document.querySelector('input[aria-label="${name}"]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${day}');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })();`;
    await page.evaluate(change('First day', '2026-01-10') + change('Last day', '2026-01-20'));
    const search = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(search).toMatchObject({ since: '2026-01-10', until: '2026-01-20' });
  });

  it.each([390, 1280, 1440])('the page fits a window of %i px, also in Arabic', async (width) => {
    for (const language of ['en', 'ar']) {
      const liked = { language, theme: language === 'ar' ? 'dark' : 'light' };
      const page = await at('/analytics?by=member', { liked, viewport: { width, height: 800 } });
      await page.locator('dl > div').first().waitFor();
      await settled(page);
      expect(await tooWide(page)).toEqual([]);
      expect(await seriousFaults(page)).toEqual([]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/analytics-${language}-${width}.png`, fullPage: true });
    }
  });

  it('the costs tile on Home opens the costs of the period that Home shows', async () => {
    const page = await at('/?period=7d');
    await tile(page, 'Spent on models').getByRole('link').click();
    await page.getByRole('heading', { name: 'Costs', level: 1 }).waitFor();
    const search = new URL(page.url()).searchParams;
    const days = (Date.parse(search.get('until')!) - Date.parse(search.get('since')!)) / 86_400_000;
    expect(days).toBe(7);
    await page.getByRole('link', { name: 'Show the last 30 days' }).click();
    await page.getByRole('heading', { name: 'Usage of the last 30 days' }).waitFor();
  });
});

/** The name, the text and the link of each figure: the tiles and the cells of the table. */
const FIGURES = `[
  ...[...document.querySelectorAll('dl > div')].map((tile) =>
    [tile.querySelector('dt').innerText, tile.querySelector('dd').innerText, tile.querySelector('a')?.getAttribute('href')]),
  ...[...document.querySelectorAll('main table[aria-label="In groups"] tbody tr')].flatMap((row) =>
    [...row.cells].slice(1).map((cell) =>
      [row.cells[0].innerText, cell.innerText, cell.querySelector('a')?.getAttribute('href')])),
]`;

/** Returns the number of rows of the list that the link opens, read from the route of the list. */
async function countListed(journey: Journey, { orgId, cookie }: Pick<Owner, 'orgId' | 'cookie'>, href: string) {
  const { searchParams } = new URL(href, journey.app.url);
  // The dashboard writes a text that looks like a number or a boolean with quotation marks.
  const query = String(searchParams).replaceAll('%22', '');
  const answer = await journey.api(`GET /organizations/${orgId}/conversations?${query}`, undefined, cookie);
  return answer.body.data.length;
}
