import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeSmtp, startSmtp } from '../../test/fakes/smtp.ts';
import { checkMail } from './mail.ts';

let smtp: FakeSmtp;
beforeEach(async () => {
  smtp = await startSmtp();
});
afterEach(() => smtp.stop());

const url = (password = smtp.password): string =>
  `smtp://${encodeURIComponent(smtp.user)}:${encodeURIComponent(password)}@127.0.0.1:${smtp.port}?security=none`;
const check = (env: Record<string, string>) => checkMail({ PATH: process.env['PATH'], ...env });
const from = { MAIL_FROM: 'Parley <noreply@example.com>' };

it('signs in at the mail server, and sends nothing', async () => {
  const told = await check({ SMTP_URL: url(), ...from });
  expect(told).toMatchObject({ name: 'mail', status: 'ok', detail: expect.stringContaining('takes the sign-in') });
  expect([smtp.mails, smtp.attempts()]).toEqual([[], 0]);
});

it('says what is wrong and what to do, without the password', async () => {
  const wrong = await check({ SMTP_URL: url('not the password'), ...from });
  expect(wrong).toMatchObject({ status: 'fail', detail: expect.stringContaining('credentials') });
  expect(wrong.cure).toContain('SMTP_URL');
  expect(JSON.stringify(wrong)).not.toContain('not the password');
});

it('says that no server answers', async () => {
  const gone = url();
  await smtp.stop();
  expect((await check({ SMTP_URL: gone, ...from })).status).toBe('fail');
  smtp = await startSmtp();
});

it('names a setting that is missing', async () => {
  const told = await check({ SMTP_URL: url() });
  expect(told).toMatchObject({ status: 'fail', detail: expect.stringContaining('MAIL_FROM') });
});

it('takes a server without mail for a choice', async () => {
  expect(await check({})).toMatchObject({ status: 'ok', detail: expect.stringContaining('shown, not mailed') });
});
