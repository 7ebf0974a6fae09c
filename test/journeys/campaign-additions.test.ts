import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** People are added to a campaign while its page is closed. The page shows the progress and can stop it. */
describe.skipIf(!CHROMIUM)('an audience in the background', () => {
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
    for (const name of ['Asha', 'Omar', 'Noor']) await api('POST /end-users', { external_id: name, tags: ['vip'] });
    const input = { name: 'Spring', agent_id: agent.id, channel_id: agent.sandbox_channel_id };
    campaign = (await api('POST /campaigns', input)).id;
    await api(`PATCH /campaigns/${campaign}`, { settings: { starts_at: '2037-12-04T00:00:00.000Z' } });
  });
  afterAll(() => journey?.stop());

  it('an audience is added by keyboard in the background, and the page shows the result', async () => {
    const { page, faults } = await journey.open(`/campaigns/${campaign}`, { as: OWNER });
    await settled(page);
    // A draft begins with its people.
    const audience = page.getByRole('region', { name: 'To whom' });
    await audience.getByLabel('Tag', { exact: true }).fill('vip');
    expect(await audience.getByRole('button', { name: 'Add as recipients' }).isDisabled()).toBe(true);
    await audience.getByRole('button', { name: 'Review' }).press('Enter');
    await audience.getByText('3 recipients are messaged.').waitFor();
    await audience.getByRole('button', { name: 'Add as recipients' }).press('Enter');
    await audience.getByText('The people are being added in the background').waitFor();
    const additions = page.getByRole('region', { name: 'Additions' });
    await additions.getByText('End users by: Tag').waitFor();
    await additions.getByText('3 people were added.').waitFor();
    await additions.getByText('Done').waitFor();
    const file = ['id', ...Array.from({ length: 20 }, (_, n) => `f-${n}`), 'Asha', '""'].join('\n');
    await api(`POST /campaigns/${campaign}/pushes`, { file: `${file},\n` });
    await additions.getByText('From a file').waitFor({ timeout: 15_000 });
    await additions.getByText('20 people were added.').waitFor();
    await additions.getByText('Already in the campaign: 1').waitFor();
    await page.getByText('23 recipients wait for the start.').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/additions.png`, fullPage: true });
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('missing values of people in a file are shown before they are added, and again before the start', async () => {
    const text = { default: 'Hi {{end_user.name}}, use {{voucher}}' };
    const settings = { starts_at: '2037-12-04T00:00:00.000Z', opening: { text } };
    await api(`PATCH /campaigns/${campaign}`, { settings });
    const rows = Array.from({ length: 10 }, (_, n) => `g-${n},Person ${n},${n < 7 ? `W-${n}` : ''}`);
    const csv = ['id,name,voucher', ...rows, ',Nameless,W', 'Asha,Asha,W'].join('\n');
    const { page } = await journey.open(`/campaigns/${campaign}`, { as: OWNER });
    const audience = page.getByRole('region', { name: 'To whom' });
    await audience.getByText('File', { exact: true }).click();
    const choose = (text: string) =>
      audience
        .locator('input[type=file]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('\n');
    await audience.getByText('The file is empty. Choose another file.').waitFor();
    await choose(csv);
    // The choice stays while the user looks at another tab.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'To whom' }).click();
    await audience.getByText('people.csv').waitFor();
    await audience.getByRole('button', { name: 'Review' }).click();
    await audience.getByText('10 recipients are messaged.').waitFor();
    await audience.getByText('3 messages have an empty place: {{voucher}}').waitFor();
    await audience.getByText('Skipped: 1 (Already in the campaign)').waitFor();
    await audience.getByText('1 row cannot be added.').click();
    await audience.getByText('Recipient 11').waitFor();
    await audience.getByText('The messages to 3 recipients').click();
    await audience.getByText('Hi Person 0, use W-0').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/review-file.png`, fullPage: true });
    expect(await seriousFaults(page)).toEqual([]);
    await audience.getByRole('button', { name: 'Add as recipients' }).click();
    await page.getByText('33 recipients wait for the start.').waitFor({ timeout: 15_000 });
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const review = page.getByRole('dialog').getByRole('region', { name: 'Review of the recipients' });
    await review.getByText('33 recipients are messaged.').waitFor();
    await review.getByText(/messages have an empty place/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('The campaign is live.', { exact: true }).waitFor();
    // Calls of a key are in the same list, with their refused and duplicate recipients.
    const key = await api('POST /keys', {
      label: 'CRM',
      scope: 'campaign',
      campaign_id: campaign,
      permissions: ['campaigns'],
    });
    const recipients = [
      { end_user: { external_id: 'g-0' }, ref: 'again' },
      { end_user: { phone: '12345' }, ref: 'row-9' },
      { end_user: { external_id: 'h-0' } },
    ];
    const options = { key: key.value, body: { recipients } };
    const pushed = await journey.app.call('POST', `/api/campaigns/${campaign}/recipients`, options);
    expect(pushed.status, pushed.text).toBe(202);
    const additions = page.getByRole('region', { name: 'Additions' });
    await additions.getByText('Calls with the key “⁨CRM⁩”').waitFor({ timeout: 15_000 });
    const calls = additions.getByRole('listitem').filter({ hasText: 'CRM' });
    await calls.getByText('1 person was added.').waitFor();
    await calls.getByText('Already in the campaign: 1').waitFor();
    await calls.getByText('1 row is not valid.').click();
    await calls.getByText('row-9').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/additions-api.png`, fullPage: true });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await tooWide(page)).toEqual([]);
    }
  });

  it('an addition waits visibly for a paused campaign, can be stopped, and fits a phone in Arabic', async () => {
    await journey.app.db.$client.query(
      `INSERT INTO campaign_push (org_id, campaign_id, id, source, file, total, done, accepted, created_by, due_at)
       VALUES ($1, $2, 'push_01k8v3m9e5f7rsm6z4n0q2x1ab', 'file', 'id', 1000, 400, 400, 'user_x', 'infinity')`,
      [orgId, campaign],
    );
    await api(`POST /campaigns/${campaign}/pause`);
    const phone = { liked: { language: 'ar', theme: 'dark' }, viewport: { width: 390, height: 800 } };
    const { page } = await journey.open(`/campaigns/${campaign}`, { as: OWNER, ...phone });
    const additions = page.getByRole('region', { name: 'الإضافات' });
    await additions.getByText('في الانتظار حتى تُستأنف الحملة').waitFor();
    await expect.poll(() => additions.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/additions-ar.png`, fullPage: true });
    expect(await tooWide(page)).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
    await additions.getByRole('button', { name: 'إيقاف' }).press('Enter');
    await additions.getByText('أُوقفت').waitFor();
    // The focus stays at the position of the removed button.
    await expect.poll(() => additions.locator('li:focus').getAttribute('data-state')).toBe('cancelled');
  });
});
