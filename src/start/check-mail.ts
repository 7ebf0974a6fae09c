import { loadMail } from '../config/mail.ts';
import { tryMailServer } from '../worker/mail/send-mail.ts';

/** Checks SMTP_URL and MAIL_FROM of this environment for `./parley doctor`. The check sends no mail. */
export async function checkMail(): Promise<{ status: 'ok' | 'fail'; detail: string; fix?: string }> {
  const { mail, faults } = loadMail();
  const [fault] = faults;
  if (fault) return { status: 'fail', detail: `${fault.variable} ${fault.fault}.`, fix: fault.fix };
  if (mail === null) return { status: 'ok', detail: 'No mail server is set here: links are shown, not mailed.' };
  const wrong = await tryMailServer(mail);
  const place = `${mail.host}:${mail.port}`;
  if (wrong === null) {
    const how = mail.username === '' ? 'answers' : 'answers and takes the sign-in';
    return { status: 'ok', detail: `${place} ${how}; mails come from ${mail.from.address}.` };
  }
  return {
    status: 'fail',
    detail: `${place} cannot be used: ${wrong}`,
    fix: 'Fix SMTP_URL (host, port, user, password, encryption) or the mail server, and restart Parley.',
  };
}
