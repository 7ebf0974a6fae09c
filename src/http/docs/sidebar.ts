import { PROBLEMS } from '../../../contract/problems.ts';
import { eventsNavigation } from './events-section.ts';
import { GUIDE_NAMES, GUIDES } from './guides.ts';
import { escapeHtml } from './html.ts';
import type { OpenApiDocument } from './openapi.ts';
import { endpointsOf, slug, tagsOf } from './reference.ts';

/** The list contains all pages and sections. The list is the same on every page and works without scripts. */
export function sidebarOf(document: OpenApiDocument): string {
  const endpoints = endpointsOf(document);
  const guides = GUIDE_NAMES.map((name) => link(`/docs/guides/${name}`, GUIDES[name]));
  const tags = tagsOf(document).map(({ name }) =>
    group(name, [
      link(`/docs#${slug(name)}`, 'About'),
      ...endpoints
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ operation }) => link(`/docs#${operation.operationId}`, operation.summary)),
    ]),
  );
  const statuses = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))].toSorted((a, b) => a - b);
  return [
    `<p>Guides</p><ul>${guides.join('')}</ul>`,
    `<p>API reference</p><ul>${link('/docs', 'Introduction')}</ul>${tags.join('')}`,
    group(
      'Events',
      eventsNavigation().map(([at, name]) => link(at, name)),
    ),
    `<p>Problems</p><ul>${link('/docs/problems', 'All codes')}</ul>`,
    group(
      'By status',
      statuses.map((status) => link(`/docs/problems#status-${status}`, String(status))),
    ),
    `<p>For programs</p><ul>${link('/api/openapi.json', 'OpenAPI document')}${link('/llms.txt', 'llms.txt')}</ul>`,
  ].join('');
}

const link = (href: string, text: string): string => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`;

const group = (name: string, links: readonly string[]): string =>
  `<details><summary>${escapeHtml(name)}</summary><ul>${links.join('')}</ul></details>`;

/** Marks the link to the current page. On the reference page, all groups of the reference are open. */
export const sidebarAt = (sidebar: string, path: string): string =>
  (path === '/docs' ? sidebar.replaceAll('<details>', '<details open>') : sidebar).replace(
    `href="${escapeHtml(path.startsWith('/docs/problems/') ? '/docs/problems' : path)}"`,
    (href) => `${href} aria-current="page"`,
  );
