import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

/** Home shows the first steps, and later the recent activity. */
describe.skipIf(!CHROMIUM)('Home', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let agent: string;
  let trigger: string;

  let make: Owner['make'];
  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
    agent = (await make('/agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } })).id;
    trigger = (await make('/triggers', { agent_id: agent, name: 'Order update' })).id;
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, more: object = {}): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, ...more });
    await settled(page);
    return page;
  };
  const tile = (page: Page, name: string) =>
    page.locator('dl > div').filter({ has: page.getByRole('link', { name, exact: true }) });

  it('a newcomer sees the first steps, and can hide and show them by keyboard', async () => {
    const page = await at('/');
    await page.getByRole('heading', { name: 'First steps', level: 2 }).waitFor();
    expect(await page.getByText('What happened').count()).toBe(0);
    await page.getByRole('button', { name: 'Hide', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'What happened', level: 2 }).waitFor();
    const show = page.getByRole('button', { name: 'Show the first steps' });
    await expect.poll(() => show.evaluate('document.activeElement.textContent')).toBe('Show the first steps');
    await page.reload();
    await show.waitFor();
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
    await show.press('Enter');
    await expect
      .poll(() => page.getByRole('heading', { name: 'First steps' }).evaluate('document.activeElement.id'))
      .toBe('first-steps');
  });

  it('Home offers a viewer no form that the server would refuse', async () => {
    const { url } = await make('/invitations', { email: 'vera@example.com', role: 'viewer' });
    const token = new URL(url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Vera', password: PASSWORD });
    const page = await at('/', { as: 'vera@example.com' });
    await page.getByText('On my website', { exact: true }).click();
    await page.getByText('Only members, admins and owners can follow these steps. Your role is Viewer.').waitFor();
    expect(await page.locator('main form').count()).toBe(0);
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
  });

  it('Home shows recent activity with links to each list, and offers a table for screen readers', async () => {
    const { value } = await journey.app.key(orgId, { permissions: ['triggers'] });
    const call = (body: object) => journey.app.call('POST', `/api/triggers/${agent}/${trigger}`, { key: value, body });
    for (const name of ['Asha', 'Omar', 'Noor'])
      expect((await call({ end_user: { external_id: name, name }, message: 'Hello' })).status).toBe(202);
    expect((await call({ message: 7 })).status).toBe(422);
    const [first] = (await journey.api(`GET /organizations/${orgId}/conversations`, undefined, cookie)).body.data;
    await make(`/conversations/${first.id}/take-over`, {});
    await journey.app.db.$client.query('DELETE FROM numbers_day');

    const page = await at('/');
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
    await expect.poll(() => tile(page, 'Conversations').locator('dd').first().innerText()).toBe('3');
    expect(await tile(page, 'Hand-offs').innerText()).toMatch(/1[^]*Taken over by a member\s+1/);
    expect(await tile(page, 'First reply of a person').innerText()).toContain('–');
    await page.getByText('All channels work.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByText('As a table').press('Enter');
    const cells = await page.locator('details table tbody tr').first().locator('td').allInnerTexts();
    expect(cells).toEqual(['3', '1']);

    await page.getByText('30 days', { exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('period')).toBe('30d');
    await page.getByText('Compared with the 30 days before.').waitFor();
    await page.reload();
    await expect.poll(() => page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);

    await tile(page, 'API calls refused').getByRole('link').click();
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('refused');
  });

  it('Home fits a phone in Arabic', async () => {
    const page = await at('/?period=7d', {
      liked: { language: 'ar', theme: 'dark' },
      viewport: { width: 390, height: 800 },
    });
    await page.getByRole('heading', { name: 'ما حدث' }).waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
  });
});
