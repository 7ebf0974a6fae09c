import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  type Journey,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Ctrl-K finds pages, records and IDs by keyboard. */
describe.skipIf(!CHROMIUM)('the finder', () => {
  let journey: Journey;
  let agent: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    const at = `/organizations/${owner.orgId}`;
    agent = (await journey.api(`POST ${at}/agents`, { name: 'Night porter' }, owner.cookie)).body.id;
    await journey.api(`POST ${at}/end-users`, { external_id: 'porter-fan', name: 'Layla Porter' }, owner.cookie);
  });
  afterAll(() => journey?.stop());

  it('the finder finds pages, people, agents and IDs by keyboard, even from a field, and returns the focus', async () => {
    const { page, faults } = await journey.open('/end-users', { as: OWNER });
    await page.getByRole('searchbox').or(page.getByRole('textbox')).first().focus();
    // Its code is still loading. Text that is typed in this time is not lost, and the previous field does not get it.
    await page.route(/finder/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nobody');
    const dialog = page.getByRole('dialog', { name: 'Find' });
    const field = dialog.getByPlaceholder('A page, a person');
    await expect.poll(() => field.inputValue()).toBe('nobody');
    await field.blur();
    await field.focus();
    expect(await field.inputValue()).toBe('nobody');
    expect(await page.locator('main input').first().inputValue()).toBe('');
    await field.fill('porter');
    await dialog.getByRole('button', { name: 'Night porter' }).waitFor();
    await dialog.getByRole('button', { name: 'Layla Porter' }).waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/finder.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Night porter', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.keyboard.type('webh');
    await expect.poll(() => field.inputValue()).toBe('webh');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();

    await page.keyboard.press('Control+k');
    await field.fill(agent);
    await dialog.getByRole('button', { name: `Open ${agent}` }).click();
    await page.getByRole('heading', { name: 'Night porter', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Find' }).click();
    await field.fill('zzzzz');
    await dialog.getByText('No results.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('the first result of early typing is selected, and an early Enter does not reach the page', async () => {
    const { page } = await journey.open('/end-users', { as: OWNER });
    await settled(page);
    await page.route(/finder/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    // Enter on this button would open a dialog.
    await page.getByRole('button', { name: 'Add end user' }).first().focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('webh');
    await page.keyboard.press('Enter');
    await page.locator('[data-selected]').getByText('Webhooks').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });

  it('the finder fits a phone in Arabic', async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await journey.open('/agents', { as: OWNER, liked: { language: 'ar' }, viewport });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill('porter');
    await page.getByRole('dialog').getByRole('button', { name: 'Night porter' }).waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/finder-ar.png` });
    expect(await tooWide(page)).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('finds the other organizations of the person, and opens one', async () => {
    const { cookie } = await journey.api('POST /sign-in', { email: OWNER, password: PASSWORD });
    await journey.api('POST /organizations', { name: 'Harbour clinic' }, cookie);
    const { page, faults } = await journey.open('/', { as: OWNER });
    const switcher = page.getByRole('button', { name: /Harbour clinic|Northwind/ });
    const other = (await switcher.innerText()).includes('Northwind') ? 'Harbour' : 'Northwind';
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Find' });
    await dialog.getByRole('textbox').fill(other.slice(0, 5));
    await dialog.getByRole('button', { name: other }).waitFor();
    // It is a result, so neither a search nor its failure is reported.
    expect(await dialog.locator('.mantine-Spotlight-empty').count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => switcher.innerText()).toContain(other);
    await page.keyboard.press('Control+k');
    await dialog.getByRole('textbox').fill(other.slice(0, 5));
    await dialog.getByText('No results.').waitFor();
    expect(faults).toEqual([]);
  });
});
