import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** The results of a campaign over time, on its page. */
describe.skipIf(!CHROMIUM)('the report of a campaign', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let campaign: string;

  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const api = async (line: string, body?: unknown): Promise<any> => {
    const [method, path] = line.split(' ') as [string, string];
    const answer = await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    const agent = await api('POST /agents', { name: 'Concierge' });
    for (let n = 0; n < 40; n++) await api('POST /end-users', { external_id: `p-${n}`, tags: ['vip'] });
    const input = { name: 'Spring', agent_id: agent.id, channel_id: agent.sandbox_channel_id };
    campaign = (await api('POST /campaigns', input)).id;
    await api(`PATCH /campaigns/${campaign}`, { settings: { opening: { text: { default: 'Hello' } } } });
    await api(`POST /campaigns/${campaign}/start`);
    await api(`POST /campaigns/${campaign}/pushes`, { filters: { tag: 'vip' } });
  });
  afterAll(() => journey?.stop());

  it('the preview shows the agent’s first message if the campaign has none, also for a nameless person', async () => {
    const opening = { default: 'Hello {{end_user.name|there}}, {{voucher}}', ar: 'مرحبًا {{end_user.name}}' };
    const preview = async (definition: object, locale: string) => {
      const agent = await api('POST /agents', { name: 'Opener', definition });
      const input = { name: 'Own', agent_id: agent.id, channel_id: agent.sandbox_channel_id };
      const { id } = await api('POST /campaigns', input);
      const body = { settings: {}, end_user: { name: 'Asha', locale }, variables: { voucher: 'W-1' } };
      const { opening: shown, without } = await api(`POST /campaigns/${id}/preview`, body);
      return [shown?.text, without.opening?.text];
    };
    expect(await preview({ opening }, 'en')).toEqual(['Hello Asha, W-1', 'Hello there, ']);
    expect(await preview({ opening }, 'ar')).toEqual(['مرحبًا Asha', 'مرحبًا ']);
  });

  it('the report draws the messaged people over time as lines, and lists them in a table', async () => {
    const counts = async () => (await api(`GET /campaigns/${campaign}`)).counts.delivered;
    await expect.poll(counts, { timeout: 20_000 }).toBe(40);
    const now = await api(`GET /campaigns/${campaign}/report`);
    const sum = (name: string) => now.points.reduce((all: number, one: Record<string, number>) => all + one[name]!, 0);
    expect([now.by, sum('sent'), sum('delivered'), sum('read'), sum('answered')]).toEqual(['hour', 40, 40, 0, 0]);
    // The same people, spread over a day by SQL, because no test can wait.
    await journey.app.db.$client.query(
      `WITH p AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM recipient WHERE campaign_id = $1)
       UPDATE recipient r SET sent_at = moment, delivered_at = moment + interval '1 hour',
         read_at = CASE WHEN n % 2 = 0 THEN moment + interval '3 hours' END,
         replied_at = CASE WHEN n % 4 = 0 THEN moment + interval '5 hours' END,
         left_at = CASE WHEN n % 10 = 0 THEN moment + interval '6 hours' END
       FROM (SELECT id, n, '2026-11-20T06:00:00Z'::timestamptz + n * n * interval '1 minute' AS moment FROM p) x
       WHERE r.id = x.id AND r.campaign_id = $1`,
      [campaign],
    );
    const { page, faults } = await journey.open(`/campaigns/${campaign}`, { as: OWNER, timezoneId: 'Asia/Qatar' });
    await settled(page);
    const report = page.getByRole('region', { name: 'Over time' });
    await report.getByText('People by hour, in your time zone').waitFor();
    if (SHOTS) await report.screenshot({ path: `${SHOTS}/report.png` });
    await report.getByText('As a table').press('Enter');
    // 06:01 in UTC, shown in the time zone of Qatar.
    await report.getByRole('rowheader', { name: 'Nov 20, 2026 9:00 AM' }).waitFor();
    const sent = await report.locator('tbody tr td:nth-of-type(1)').allTextContents();
    expect(sent.reduce((all, cell) => all + Number(cell), 0)).toBe(40);
    expect(await report.locator('thead th').allTextContents()).toEqual([
      'Time',
      'Sent',
      'Delivered',
      'Read',
      'Answered',
      'Left',
    ]);
    const recipients = page.getByRole('region', { name: 'Recipients' });
    await recipients.getByRole('searchbox').fill('row 1');
    const file = `/campaigns/${campaign}/recipients.csv`;
    await expect
      .poll(() => recipients.getByRole('link', { name: 'Export CSV' }).getAttribute('href'))
      .toMatch(`${file}?ref=row`);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the report fits a phone, in Arabic and in the dark theme', async () => {
    const phone = { liked: { language: 'ar', theme: 'dark' }, viewport: { width: 390, height: 800 } };
    const { page } = await journey.open(`/campaigns/${campaign}`, { as: OWNER, ...phone });
    const report = page.getByRole('region', { name: 'عبر الزمن' });
    await report.getByText('كجدول').click();
    if (SHOTS) await report.screenshot({ path: `${SHOTS}/report-ar.png` });
    expect(await tooWide(page)).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
  });
});
