import type { MailPart, MailText } from '../../store/mail.ts';

const HELLO = { en: 'Hello,', ar: 'مرحبًا،' };

/**
 * Returns the text of a mail as plain text and as simple HTML. Names that people chose appear as text, never as markup.
 */
export function renderMail(mail: MailText): { text: string; html: string } {
  const { lines, link, parts = [], after = [], language = 'en', unsubscribe } = mail;
  const stop = unsubscribe && { label: unsubscribe.label, url: unsubscribe.link };
  const text = [
    HELLO[language],
    ...lines,
    ...(link ? [asText(link)] : []),
    ...parts.map(partAsText),
    ...after,
    '--\nParley',
    ...(stop ? [asText(stop)] : []),
  ].join('\n\n');
  const paragraphs = [
    paragraph(HELLO[language]),
    ...lines.map((line) => paragraph(line)),
    ...(link ? [button(link)] : []),
    ...parts.map(partAsHtml),
    ...after.map((line) => paragraph(line, 'color:#5b6470;font-size:14px')),
    ...(stop ? [`<p style="margin:24px 0 0;font-size:13px">${anchor(stop, '#5b6470')}</p>`] : []),
  ];
  const html = `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f5f7">
<div style="max-width:520px;margin:0 auto;padding:32px;border-radius:12px;background:#fff;color:#1c2127;font:16px/1.5 system-ui,sans-serif">
<p style="margin:0 0 24px;font-weight:700">Parley</p>
${paragraphs.join('\n')}
</div></body></html>`;
  return { text, html };
}

type Link = { label: string; url: string };

const asText = ({ label, url }: Link): string => `${label}:\n${url}`;

const partAsText = ({ title, lines, link }: MailPart): string =>
  [title, ...lines.map((line) => `- ${line}`), ...(link ? [asText(link)] : [])].join('\n');

const partAsHtml = ({ title, lines, link }: MailPart): string =>
  `<h2 style="margin:24px 0 8px;font-size:16px">${escaped(title)}</h2>
<ul style="margin:0 0 8px;padding-inline-start:20px">${lines.map((line) => `<li style="margin:0 0 4px">${escaped(line)}</li>`).join('')}</ul>
${link ? `<p style="margin:0 0 16px">${anchor(link, '#1c2127')}</p>` : ''}`;

const anchor = ({ label, url }: Link, color: string): string =>
  `<a href="${escaped(url)}" style="color:${color}">${escaped(label)}</a>`;

const paragraph = (line: string, style = ''): string => `<p style="margin:0 0 16px;${style}">${escaped(line)}</p>`;

const button = ({ label, url }: Link): string =>
  `<p style="margin:24px 0"><a href="${escaped(url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#1c2127;color:#fff;text-decoration:none">${escaped(label)}</a></p>
<p style="margin:0 0 16px;color:#5b6470;font-size:13px;word-break:break-all">${escaped(url)}</p>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one]!);
