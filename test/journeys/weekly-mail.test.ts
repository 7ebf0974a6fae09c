import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendWeeklyMails } from '../../src/features/statistics/send-weekly-mail.ts';
import { createQueueMail } from '../../src/store/mail.ts';
import { type FakeSmtp, startSmtp } from '../fakes/smtp.ts';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];
const WEEK = 7 * 86_400_000;
/** The next Monday at eight. Weeks since 1970 begin on a Thursday. */
const A_MONDAY = 4 * 86_400_000 + 8 * 3_600_000;
const MONDAY = Math.ceil((Date.now() - A_MONDAY) / WEEK) * WEEK + A_MONDAY;

/** From the setting on the account page through the mailbox to the link that ends the mails. */
describe.skipIf(!CHROMIUM)('the weekly mail', () => {
  let smtp: FakeSmtp;
  let journey: Journey;
  let orgId: string;
  let cookie: string;

  beforeAll(async () => {
    smtp = await startSmtp();
    const url = `smtp://${encodeURIComponent(smtp.user)}:${encodeURIComponent(smtp.password)}@127.0.0.1:${smtp.port}`;
    journey = await startJourney({ SMTP_URL: `${url}?security=none`, MAIL_FROM: 'Parley <noreply@example.com>' });
    ({ cookie, orgId } = await journey.owner());
    const agent = await journey.api(
      `POST /organizations/${orgId}/agents`,
      { name: 'Concierge', definition: { opening: { default: 'Hello' } } },
      cookie,
    );
    const trigger = await journey.api(
      `POST /organizations/${orgId}/triggers`,
      { agent_id: agent.body.id, name: 'Order update' },
      cookie,
    );
    await journey.api(
      `POST /organizations/${orgId}/triggers/${trigger.body.id}/test`,
      { end_user: { external_id: 'a' } },
      cookie,
    );
  });
  afterAll(async () => {
    await journey?.stop();
    await smtp?.stop();
  });

  const sendWeek = (now: number): Promise<void> =>
    sendWeeklyMails({
      db: journey.app.db,
      queueMail: createQueueMail(journey.app.secrets.mailKey),
      setupKey: journey.app.secrets.setupKey,
      baseUrl: journey.app.url,
      now: () => now,
    });

  it('a member turns on the weekly mail in the account, and stops it from the mail without signing in', async () => {
    const { page, faults } = await journey.open('/settings/sessions', { as: OWNER, timezoneId: 'Asia/Qatar' });
    const choice = page.getByRole('switch', { name: 'Send me the weekly mail' });
    await page.getByText('The mail is sent on Mondays at 8:00, time zone UTC, in English.').waitFor();
    expect(await choice.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Use the time zone and language of this browser' }).press('Enter');
    await page.getByText('The mail is sent on Mondays at 8:00, time zone Asia/Qatar, in English.').waitFor();
    // The pressed button has disappeared, but the focus is not lost.
    expect(await choice.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    if (SHOTS) {
      await settled(page);
      await choice.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${SHOTS}/weekly-card.png` });
    }

    await sendWeek(MONDAY);
    await expect.poll(() => smtp.mails.length, { timeout: 15_000 }).toBe(1);
    const raw = smtp.mails[0]!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', ' ');
    expect(smtp.mails[0]!.to).toBe(OWNER);
    expect(raw).toContain('Subject: The week in Northwind');
    expect(raw).toContain('Conversations: 1 (before: 0)');
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const post = /List-Unsubscribe: <(\S+)>/.exec(raw)![1]!;
    expect(post).toContain(`${journey.app.url}/dashboard/api/weekly-mail/org_`);
    if (SHOTS) {
      const { page: mail } = await journey.open('/sign-in');
      await mail.setContent(raw.slice(raw.indexOf('<!doctype')));
      await mail.screenshot({ path: `${SHOTS}/weekly-mail.png` });
    }

    const link = /Stop this weekly mail:\s+(http\S+)/.exec(raw)![1]!;
    const { page: other, faults: otherFaults } = await journey.open(new URL(link).pathname);
    await other.getByRole('heading', { name: 'Stop the weekly mail?' }).waitFor();
    if (SHOTS) await other.screenshot({ path: `${SHOTS}/weekly-stop.png` });
    await other.getByRole('button', { name: 'Stop it' }).press('Enter');
    await other.getByRole('heading', { name: 'The weekly mail is stopped' }).waitFor();
    await page.reload();
    await expect.poll(() => choice.isChecked()).toBe(false);
    await sendWeek(MONDAY + WEEK);
    expect((await journey.app.db.$client.query('SELECT 1 FROM mail')).rowCount).toBe(0);
    expect([...faults, ...otherFaults]).toEqual([]);
  });

  it('an incomplete link shows an explanation, and the page fits a phone in Arabic', async () => {
    const small = { liked: { language: 'ar', theme: 'dark' }, viewport: { width: 390, height: 844 } };
    const { page } = await journey.open('/weekly-mail/org_x.user_y.not-the-signature-of-this-link', small);
    await page.getByRole('button', { name: 'إيقافها' }).click();
    await page.getByText('الرابط لا يوقف أي رسالة').waitFor();
    expect([await tooWide(page), await seriousFaults(page)]).toEqual([[], []]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/weekly-stop-ar.png` });

    const { page: account } = await journey.open('/settings/sessions', { as: OWNER, ...small });
    const choice = account.getByRole('switch', { name: 'إرسال الرسالة الأسبوعية إليّ' });
    await expect.poll(() => choice.isEnabled()).toBe(true);
    await choice.press('Space');
    await account.getByText('بالعربية.').waitFor();
    await settled(account);
    expect(await tooWide(account)).toEqual([]);
    await choice.scrollIntoViewIfNeeded();
    if (SHOTS) await account.screenshot({ path: `${SHOTS}/weekly-card-ar.png` });
  });
});
