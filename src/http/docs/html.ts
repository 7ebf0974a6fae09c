import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { ownFile } from '../../kernel/own-files.ts';

/** Escapes our own text and text of schemas: none of it can become markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The little markup that descriptions use: `code`, and empty lines between paragraphs. */
export const prose = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');

export const code = (text: string): string =>
  `<div class="code"><button type="button" data-copy aria-label="Copy">Copy</button><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;

/** One of several pieces of code is shown; without scripts, all of them. src/http/docs/copy.js makes the tabs. */
export const tabs = (parts: readonly { name: string; code: string }[]): string =>
  `<div data-tabs>${parts.map((part) => `<div data-tab="${escapeHtml(part.name)}">${code(part.code)}</div>`).join('')}</div>`;

export const json = (value: unknown): string => code(JSON.stringify(value, null, 2));

export type PageParts = { readonly title: string; readonly nav?: string; readonly main: string };

export const page = ({ title, nav = '', main }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/copy.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a href="/docs"><strong>Parley</strong> API</a> <a href="/docs/problems">Problems</a> <a href="/api/openapi.json">OpenAPI</a></header>
<div class="columns">
${nav && `<nav aria-label="Contents">${nav}</nav>`}
<main id="content">
${main}
</main>
</div>
</body>
</html>
`;

/** No external resources and no inline scripts: the pages work offline and cannot be made to call out. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);

export const asset = (name: string): string => readFileSync(ownFile(`src/http/docs/${name}`), 'utf8');
