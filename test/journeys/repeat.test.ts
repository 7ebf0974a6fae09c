import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/run-cli.ts';
import {
  CHROMIUM,
  follow,
  isFocused,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

/** The test walks through many steps, which take 20 s, or 45 s on a busy machine. */
const LONG_MS = 90_000;

/** A repeating campaign: configured on its page, created by the worker, and shown as a separate campaign. */
describe.skipIf(!CHROMIUM)('a campaign that repeats', () => {
  let journey: Journey;
  let cookie: string;
  let orgId: string;
  let campaign: string;

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    const { id: agent_id, sandbox_channel_id: channel_id } = await call('POST /agents', { name: 'A', definition: {} });
    campaign = (await call('POST /campaigns', { name: 'Friday mail', agent_id, channel_id })).id;
    await call('POST /end-users', { external_id: 'asha', name: 'Asha', tags: ['vip'] });
  });
  afterAll(() => journey?.stop());

  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const call = async (line: string, body?: unknown): Promise<any> => {
    const [method, path] = line.split(' ') as [string, string];
    const answer = await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };

  it(
    'a repeating campaign shows and creates its next campaigns, and can be paused and stopped',
    { timeout: LONG_MS },
    async () => {
      const { page, faults } = await journey.open(`/campaigns/${campaign}?tab=people`, { as: OWNER });
      await settled(page);
      await page.getByText('Save a segment first').waitFor();
      expect(await page.getByRole('button', { name: 'Repeat', exact: true }).isDisabled()).toBe(true);
      await call('POST /segments', { name: 'Best', filters: { tag: 'vip' } });
      await page.reload();
      await page.getByRole('button', { name: 'Repeat', exact: true }).click();
      await page.getByText('Choose a segment.').waitFor();
      await page.getByText('Choose at least one day.').waitFor();
      await page.getByRole('combobox', { name: 'People', exact: true }).click();
      await page.getByRole('option', { name: 'Best' }).click();
      await page.getByRole('group', { name: 'Days' }).getByText('Fri').click();
      await page.getByLabel('Time', { exact: true }).fill('10:30');
      // This is shown before saving.
      await page.getByText(/^Next campaigns: Friday, .+ · Friday, .+ · Friday, .+$/).waitFor();
      // The unsaved schedule stays while the user looks at another tab.
      await page.getByRole('tab', { name: 'Settings' }).click();
      await follow(page, `/campaigns/${campaign}?tab=people`);
      expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('10:30');
      await page.getByText('Repeating works only while the campaign is live').waitFor();
      await call(`POST /campaigns/${campaign}/start`);
      await page.getByRole('button', { name: 'Repeat', exact: true }).click();
      const next = page.getByText(/^Next campaigns: Friday, .+ · Friday, .+ · Friday, .+$/);
      await next.waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByText('No campaign has started yet.').waitFor();

      await page.getByRole('radiogroup', { name: 'How often' }).getByText('Once a month').click();
      const monthDay = page.getByRole('textbox', { name: 'Day of the month' });
      await monthDay.fill('');
      expect(await monthDay.inputValue()).toBe('');
      await page.getByRole('button', { name: 'Save changes' }).last().click();
      await page.getByText('Enter a day of the month').waitFor();
      await monthDay.fill('31');
      await page.getByText(/^Next campaigns: (?!.*Friday, .+ · Friday)/).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      const time = page.getByLabel('Time', { exact: true });
      const typed = Promise.withResolvers<void>();
      await page.route('**/schedule', async (route) => {
        if (route.request().method() === 'PUT') await typed.promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Save changes' }).last().click();
      const saving = page.locator('button[data-loading]');
      await saving.waitFor();
      await time.fill('09:30');
      typed.resolve();
      await saving.waitFor({ state: 'detached' });
      // The text that was typed during the saving stays, and it is not saved yet.
      expect(await time.inputValue()).toBe('09:30');
      await expect
        .poll(async () => (await call(`GET /campaigns/${campaign}/schedule`)).schedule)
        .toMatchObject({ days: [], month_day: 31 });
      const env = { PARLEY_URL: journey.app.url, PARLEY_EMAIL: OWNER, PARLEY_PASSWORD: PASSWORD };
      const repeat = async (...args: string[]) => {
        const { stdout, stderr } = await runCli(['campaigns', 'repeat', campaign, ...args], env);
        return JSON.parse(stdout || stderr);
      };
      expect(await repeat()).toMatchObject({ month_day: 31, at: '10:30', segment_name: 'Best' });
      expect(await repeat('--days', 'Friday', '--segment', 'best')).toMatchObject({ days: [5], month_day: null });
      expect(await repeat('--pause')).toMatchObject({ paused: true, next: [] });
      expect(await repeat('--resume', '--at', '11:00')).toMatchObject({ paused: false, at: '11:00', days: [5] });
      expect((await repeat('--segment', 'nobody')).error.message).toContain('There are: Best.');
      // Fields without an edit follow the changes of others.
      await page
        .getByRole('radio', { name: 'On days of the week' })
        .and(page.locator(':checked'))
        .waitFor({ state: 'attached' });
      expect(await time.inputValue()).toBe('09:30');

      await journey.app.db.execute(sql`UPDATE campaign_schedule SET next_at = now() - interval '1 second'`);
      const started = page.getByRole('list', { name: 'Started campaigns' }).getByRole('link');
      await started.waitFor({ timeout: 60_000 });
      expect(await started.textContent()).toMatch(/^Friday mail · \d{4}-\d\d-\d\d$/);
      await page.getByRole('button', { name: 'Pause', exact: true }).last().click();
      await page.getByText('Paused: no new campaigns start.').waitFor();
      const { schedule } = await call(`GET /campaigns/${campaign}/schedule`);
      expect(schedule).toMatchObject({ paused: true, at: '09:30', days: [5], month_day: null });
      await expect.poll(() => isFocused(page.getByRole('button', { name: 'Resume', exact: true }))).toBe(true);
      const phone = await journey.open(`/campaigns/${campaign}?tab=people`, {
        as: OWNER,
        viewport: { width: 390, height: 844 },
        liked: { language: 'ar', theme: 'dark' },
      });
      await phone.page.getByText('موقوف مؤقتًا: لا تبدأ حملات جديدة.').scrollIntoViewIfNeeded();
      expect(await tooWide(phone.page)).toEqual([]);
      expect(await seriousFaults(phone.page)).toEqual([]);
      await page.getByRole('button', { name: 'Stop repeating' }).press('Enter');
      const again = page.getByRole('button', { name: 'Repeat', exact: true });
      await again.waitFor();
      await expect.poll(() => isFocused(again)).toBe(true);

      await started.click();
      await page.getByRole('heading', { level: 1, name: /Friday mail · / }).waitFor();
      const back = page.getByRole('link', { name: 'The campaign that repeats' });
      await back.waitFor();
      expect(await page.getByRole('heading', { name: 'Repeat', exact: true }).count()).toBe(0);
      await back.click();
      await page.getByRole('heading', { level: 1, name: 'Friday mail', exact: true }).waitFor();
      expect(faults).toEqual([]);
    },
  );
});
