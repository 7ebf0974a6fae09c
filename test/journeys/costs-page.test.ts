import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  isFocused,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Budgets in a real browser: the name of each subject, and the spent amount. */
describe.skipIf(!CHROMIUM)('the page of costs', () => {
  let journey: Journey;
  let org: string;
  let cookie: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    ({ cookie } = owner);
    org = `/organizations/${owner.orgId}`;
  });
  afterAll(() => journey?.stop());

  it('the agent or key of a new budget is found by its name', async () => {
    for (const name of ['Concierge', 'Billing']) await journey.api(`POST ${org}/agents`, { name }, cookie);
    const key = { label: 'Nightly import', scope: 'organization', permissions: ['triggers'] };
    expect((await journey.api(`POST ${org}/keys`, key, cookie)).status).toBeLessThan(300);
    const { page, faults } = await journey.open('/settings/costs', { as: OWNER });
    const add = async (subject: string, typed: string, option: RegExp, amount: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add budget' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Subject').selectOption({ label: subject });
      await dialog.getByLabel('Amount').fill(amount);
      await dialog.getByRole('button', { name: 'Add budget' }).click();
      // The first missing field gets the focus, so the user can continue typing.
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: option }).waitFor();
      await settled(page);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/dialog-${subject}.png` });
      await page.getByRole('option', { name: option }).click();
      await dialog.getByRole('button', { name: 'Add budget' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await add('Agent', 'conc', /^Concierge$/, '1000');
    await add('API key', 'night', /^Nightly import \(parley_us_/, '500');
    const table = page.getByRole('region', { name: 'Budgets' });
    await table.getByText('Concierge', { exact: true }).waitFor();
    await table.getByText('Nightly import', { exact: true }).waitFor();
    expect(await table.getByText('Nearly spent').count()).toBe(0);

    await journey.app.db.execute(sql`UPDATE budget SET spent = CASE subject WHEN 'agent' THEN 850 ELSE 500 END`);
    await journey.app.db.execute(sql`
      INSERT INTO model_usage (org_id, day, agent_id, key_id, campaign_id, provider, model, currency, turns)
      SELECT org_id, (now() AT TIME ZONE 'UTC')::date, id, '', '', 'openai', 'gpt-test', '', 1 FROM agent
    `);
    await page.goto(`${journey.app.url}/settings/costs?since=${new Date().toISOString().slice(0, 10)}`);
    await table.getByText('Nearly spent').waitFor();
    await table.getByText('Spent', { exact: true }).last().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);

    // The rows of another grouping are not shown as days while the days are read.
    const usage = page.getByRole('table', { name: 'Usage of the last 30 days' });
    const by = page.getByLabel('Sum by');
    await page.getByRole('table', { name: 'Usage', exact: true }).waitFor();
    await by.selectOption('agent');
    await page.getByRole('link', { name: 'Show the last 30 days' }).click();
    await usage.getByText('Billing').waitFor();
    await by.selectOption('day');
    await usage.getByRole('columnheader', { name: 'Day' }).waitFor();
    await usage.getByText('Billing').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    if (!SHOTS) return;
    await page.screenshot({ path: `${SHOTS}/costs-en.png` });
    for (const theme of ['light', 'dark']) {
      const arabic = await journey.open('/settings/costs', { as: OWNER, liked: { language: 'ar', theme } });
      await arabic.page.getByRole('progressbar').first().waitFor();
      await settled(arabic.page);
      await arabic.page.screenshot({ path: `${SHOTS}/costs-ar-${theme}.png` });
    }
  });

  it('a price is typed with Arabic digits, and is removed only after a confirmation', async () => {
    const { page, faults } = await journey.open('/settings/costs', { as: OWNER });
    await page.getByRole('button', { name: 'Set price' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => isFocused(dialog.getByLabel('Provider'))).toBe(true);
    await dialog.getByLabel('Model').fill('gpt-test');
    await dialog.getByRole('textbox', { name: 'Input', exact: true }).fill('٢٫٥');
    await dialog.getByRole('textbox', { name: 'Output' }).fill('١٠');
    await dialog.getByRole('textbox', { name: 'Output' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const prices = async () => (await journey.api(`GET ${org}/model-prices`, undefined, cookie)).body.data;
    expect(await prices()).toMatchObject([{ model: 'gpt-test', input: 2.5, output: 10 }]);

    await page.getByRole('button', { name: 'Remove: openai/gpt-test' }).click();
    await dialog.getByText('this model is not called').waitFor();
    expect(await prices()).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await prices()).toEqual([]);
    expect(faults).toEqual([]);
  });
});
