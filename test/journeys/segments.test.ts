import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  focusIn,
  OWNER,
  follow,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

/** A group of people is saved once and used in a campaign. */
describe.skipIf(!CHROMIUM)('segments', () => {
  let journey: Journey;
  let campaign: string;

  let make: Owner['make'];
  beforeAll(async () => {
    journey = await startJourney();
    ({ make } = await journey.owner());
    for (const [name, tags] of [
      ['Asha', ['vip']],
      ['Omar', ['vip']],
      ['Noor', ['new']],
    ] as const)
      await make('/end-users', { name, external_id: name, tags });
    const agent = await make('/agents', { name: 'Concierge' });
    const channel = await make('/channels', { kind: 'sandbox', name: 'Sandbox', agent_id: agent.id, settings: {} });
    campaign = (await make('/campaigns', { name: 'Spring', agent_id: agent.id, channel_id: channel.id })).id;
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, more: object = {}): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, ...more });
    await settled(page);
    return page;
  };

  it('segments are saved from list filters, selected, used in a campaign and deleted, by keyboard', async () => {
    const page = await at('/end-users?tag=vip');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('button', { name: 'Save as segment' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the segment').fill('Very important');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByRole('combobox', { name: 'Segment' }).inputValue()).toBe('Very important');
    expect(await page.getByRole('button', { name: 'Save as segment' }).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);

    await follow(page, '/end-users');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    await choose(page, 'Very important');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('tag')).toBe('vip');

    await follow(page, `/campaigns/${campaign}?tab=people`);
    await page.getByRole('radiogroup', { name: 'Where the people come from' }).getByText('Segment').click();
    await choose(page, 'Very important');
    await page.getByRole('button', { name: 'Review', exact: true }).press('Enter');
    await page.getByRole('region', { name: 'Review of the people' }).getByText(/\b2\b/).first().waitFor();

    await follow(page, '/end-users?tag=vip');
    await page.getByRole('button', { name: /^Delete the segment .*Very important/ }).press('Enter');
    await focusIn(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('The segment is deleted.').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    expect(await page.getByRole('combobox', { name: 'Segment' }).count()).toBe(0);
  });

  it('the pages of segments fit a phone in Arabic', async () => {
    await make('/segments', { name: 'العملاء المهمون', filters: { tag: 'vip' } });
    const page = await at('/end-users?tag=vip', { liked: { language: 'ar' }, viewport: { width: 390, height: 800 } });
    await page.getByRole('combobox', { name: 'الشريحة' }).waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
  });
});

async function choose(page: Page, name: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Segment' });
  await field.click();
  await page.getByRole('option', { name }).click();
}
