import type { ConfigFault, Environment } from './environment.ts';
import { emailAddress, type Reading } from './readers.ts';

/** The operator's own mail server and the sender of its mails. */
export type MailServer = {
  host: string;
  port: number;
  /** `tls` from the first byte, `starttls` before any other command, or `none`. */
  security: 'tls' | 'starttls' | 'none';
  username: string;
  password: string;
  from: { name: string; address: string };
};

const FIX =
  'Write smtps://USER:PASSWORD@HOST:465 (TLS) or smtp://USER:PASSWORD@HOST:587 (STARTTLS), special characters percent-encoded. For a relay without encryption, add ?security=none.';

export function readMail(env: Environment, faults: ConfigFault[]): MailServer | null {
  const url = env['SMTP_URL']?.trim() ?? '';
  const from = env['MAIL_FROM']?.trim() ?? '';
  if (url === '' && from === '') return null;
  if (url === '' || from === '') {
    const [variable, other] = url === '' ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL'];
    faults.push({
      variable,
      fault: `is missing, although ${other} is set`,
      fix: 'Set both variables to send mail, or neither to share links yourself.',
    });
    return null;
  }
  const [server, sender] = [smtpUrl(url), mailFrom(from)];
  if ('fault' in server) faults.push({ variable: 'SMTP_URL', ...server });
  if ('fault' in sender) faults.push({ variable: 'MAIL_FROM', ...sender });
  return 'value' in server && 'value' in sender ? { ...server.value, from: sender.value } : null;
}

/** Loads only the mail settings, without reading or creating other data. */
export function loadMail(env: Environment = process.env): { mail: MailServer | null; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  return { mail: readMail(env, faults), faults };
}

function smtpUrl(text: string): Reading<Omit<MailServer, 'from'>> {
  const fault = { fault: 'is not the address of an SMTP server', fix: FIX };
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return fault;
  if (!/^\/?$/.test(url.pathname) || url.hash !== '' || !/^(\?security=none)?$/.test(url.search)) return fault;
  const secure = url.protocol === 'smtps:';
  if (secure && url.search !== '') return fault;
  try {
    return {
      value: {
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
        security: secure ? 'tls' : url.search === '' ? 'starttls' : 'none',
        username: decodeURIComponent(url.username),
        password: decodeURIComponent(url.password),
      },
    };
  } catch {
    // The text contains a % that is not a valid escape.
    return fault;
  }
}

/** Reads `name@example.com` or `Name <name@example.com>`. */
function mailFrom(text: string): Reading<MailServer['from']> {
  const [, name = '', bracketed] = /^(?:"?([^"<>\r\n]{0,100}?)"?\s*)<([^<>]+)>$/.exec(text) ?? [];
  const address = emailAddress(bracketed ?? text);
  return 'value' in address
    ? { value: { name: name.trim() || 'Parley', address: address.value } }
    : { fault: 'is not a sender', fix: 'Write name@example.com or "Parley <name@example.com>".' };
}
