import { escapeHtml } from './html.ts';
import { type Entry, find } from './rank.js';
import type { Content } from './sections.ts';

/** Shows the results of the search as a page, for a browser without scripts, for links, and for a URL without a page. */
export function searchPage(query: string, entries: readonly Entry[], heading = 'Search'): Content {
  const found = find(entries, query);
  const items = found.map(
    ({ title, detail, place, href }) =>
      `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a> ${detail && `<code>${escapeHtml(detail)}</code> `}<span class="quiet">${escapeHtml(place)}</span></li>`,
  );
  const says = found.length === 0 ? 'Nothing was found for' : 'Found for';
  return {
    title: heading,
    kind: 'Search',
    main: `<h1>${heading}</h1><p>${says} “${escapeHtml(query)}”${found.length === 0 ? '. Try fewer words, or the beginning of one.' : ':'}</p><ul class="found">${items.join('')}</ul>`,
  };
}
