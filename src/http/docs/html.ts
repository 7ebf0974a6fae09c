import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { ownFile } from '../../kernel/own-files.ts';
import { type Content, headingsOf } from './sections.ts';

/** Escapes Parley's own text and text from schemas, so that no text can become markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The only markup in descriptions is `code`, and empty lines between paragraphs. */
export const prose = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');

export const code = (text: string): string =>
  `<div class="code"><button type="button" data-copy aria-label="Copy">Copy</button><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;

/**
 * A page shows only one of several code blocks. Without scripts, a page shows all code blocks. The script
 * src/http/docs/copy.js creates the tabs.
 */
export const tabs = (parts: readonly { name: string; code: string }[]): string =>
  `<div data-tabs>${parts.map((part) => `<div data-tab="${escapeHtml(part.name)}">${code(part.code)}</div>`).join('')}</div>`;

export const json = (value: unknown): string => code(JSON.stringify(value, null, 2));

/** The headings of the page appear in a separate column. */
function outlineOf({ main, outline }: Content): string {
  const items = headingsOf(main).filter(({ level }) => level === 2 || level === 3);
  if (!outline || items.length < 2) return '';
  const links = items.map(
    ({ level, id, title }) => `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}

const SEARCH = `<form role="search" action="/docs" method="get">
<input type="search" name="q" maxlength="200" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd>
<ul id="found" role="listbox" aria-label="Results" hidden></ul>
<p role="status"></p>
</form>`;

/** The page has three columns: all pages on the left, the text, and its outline or its examples on the right. */
export const page = (content: Content, sidebar: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(content.title)} — Parley API</title>
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/copy.js" defer></script>
<script src="/docs/pages.js" defer></script>
<script src="/docs/search.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" data-menu aria-expanded="false" aria-controls="contents">Menu</button>
<a class="brand" href="/docs"><strong>Parley</strong> docs</a>
${SEARCH}
</header>
<div class="columns">
<nav id="contents" aria-label="All pages">${sidebar}</nav>
<main id="content">
${content.main}
</main>
${outlineOf(content)}
</div>
</body>
</html>
`;

/**
 * The pages have no external resources and no inline scripts, so they work offline and cannot be made to call other
 * sites. The only form, the search, can be sent to only one address.
 */
const policyOf = (baseUrl: string): string =>
  `default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; base-uri 'none'; form-action ${baseUrl}/docs; frame-ancestors 'none'`;

export const sendPage = (reply: FastifyReply, html: string, baseUrl: string): FastifyReply =>
  reply
    .header('content-security-policy', policyOf(baseUrl))
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);

export const asset = (name: string): string => readFileSync(ownFile(`src/http/docs/${name}`), 'utf8');
