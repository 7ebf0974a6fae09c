import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenAgent } from '../factories.ts';
import {
  CHROMIUM,
  type Journey,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';

const PAGE = '/settings/organization';

/** Setting the retention as an owner. Nothing is erased before the owner has typed the name. */
describe.skipIf(!CHROMIUM)('retention', () => {
  let journey: Journey;
  let owner: Awaited<ReturnType<Journey['owner']>>;
  beforeAll(async () => {
    journey = await startJourney();
    owner = await journey.owner();
    await givenAgent(journey.app.db, owner.orgId);
  });
  afterAll(() => journey?.stop());

  const stored = async () =>
    (await journey.api(`GET /organizations/${owner.orgId}/retention`, undefined, owner.cookie)).body.days;

  test('setting the retention needs a confirmation with the name of the organization; removing it needs none', async () => {
    const { page, faults } = await journey.open(PAGE, { as: OWNER });
    await page.getByRole('radio', { name: 'Erase old conversations' }).check();
    const days = page.getByLabel('Days without activity');
    await days.fill('7');
    await page.getByText('A whole number from 30 to 3,650.').waitFor();
    await days.fill('60');
    // Another owner saves another period. A window that gets the focus reads data again that is older than 5 seconds.
    await owner.call('PUT /retention', { days: 400 });
    await Promise.all([
      page.waitForResponse('**/retention'),
      page.evaluate(
        `((now) => (Date.now = () => now() + 10_000))(Date.now); dispatchEvent(new Event('visibilitychange'))`,
      ),
    ]);
    await settled(page);
    expect(await days.inputValue()).toBe('60');
    await owner.call('PUT /retention', { days: null });
    await days.fill('90');
    await page.getByText('No conversation is older than this period.').waitFor();
    await page
      .locator('form', { has: page.getByRole('radio') })
      .getByRole('button', { name: 'Save changes' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Messages older than 90 days are erased').waitFor();
    await settled(page);
    expect(await seriousFaults(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/retention-en.png` });
    const name = dialog.getByLabel('Type the name of the organization:');
    await name.fill('Southwind');
    await dialog.getByRole('button', { name: 'Save and erase' }).click();
    expect(await stored()).toBeNull();
    await name.fill('Northwind');
    await dialog.getByRole('button', { name: 'Save and erase' }).click();
    await page.getByText('Retention saved.').first().waitFor();
    expect(await stored()).toBe(90);
    await page.getByRole('radio', { name: 'Keep conversations permanently' }).check();
    await page
      .locator('form', { has: page.getByRole('radio') })
      .getByRole('button', { name: 'Save changes' })
      .click();
    await expect.poll(stored).toBeNull();
    expect(faults).toEqual([]);
  });

  test('the dialog fits a phone in Arabic, and only owners can change the retention', async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await journey.open(PAGE, { as: OWNER, liked: { language: 'ar' }, viewport });
    await page.getByRole('radio', { name: 'محو المحادثات بعد مدة' }).check();
    await settled(page);
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/retention-ar.png`, fullPage: true });
    expect(await tooWide(page)).toEqual([]);
    expect(await wordFaults(page)).toEqual([]);
    await journey.app.db.execute(sql`UPDATE member SET role = 'admin' WHERE organization_id = ${owner.orgId}`);
    await page.reload();
    await page.getByRole('radio', { name: 'محو المحادثات بعد مدة' }).waitFor();
    expect(await page.getByRole('radio', { name: 'محو المحادثات بعد مدة' }).isDisabled()).toBe(true);
  });
});
