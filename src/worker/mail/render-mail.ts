import type { MailText } from '../../store/mail.ts';

/** The same text as plain text and as simple HTML. Names that people chose appear as text, never as markup. */
export function renderMail({ lines, link, after = [] }: MailText): { text: string; html: string } {
  const text = ['Hello,', ...lines, ...(link ? [`${link.label}:\n${link.url}`] : []), ...after, '--\nParley'].join(
    '\n\n',
  );
  const paragraphs = [
    paragraph('Hello,'),
    ...lines.map((line) => paragraph(line)),
    ...(link ? [button(link)] : []),
    ...after.map((line) => paragraph(line, 'color:#5b6470;font-size:14px')),
  ];
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f5f7">
<div style="max-width:520px;margin:0 auto;padding:32px;border-radius:12px;background:#fff;color:#1c2127;font:16px/1.5 system-ui,sans-serif">
<p style="margin:0 0 24px;font-weight:700">Parley</p>
${paragraphs.join('\n')}
</div></body></html>`;
  return { text, html };
}

const paragraph = (line: string, style = ''): string => `<p style="margin:0 0 16px;${style}">${escaped(line)}</p>`;

const button = ({ label, url }: { label: string; url: string }): string =>
  `<p style="margin:24px 0"><a href="${escaped(url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#1c2127;color:#fff;text-decoration:none">${escaped(label)}</a></p>
<p style="margin:0 0 16px;color:#5b6470;font-size:13px;word-break:break-all">${escaped(url)}</p>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one]!);
