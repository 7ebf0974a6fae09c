import { type Entry, wordsOf } from './rank.js';

/** The content of a page, without the frame around it. `outline`: true if a separate column lists the headings. */
export type Content = {
  readonly title: string;
  readonly kind: 'Guide' | 'Reference' | 'Problem' | 'Search';
  readonly main: string;
  readonly outline?: boolean;
};

type Heading = { readonly level: number; readonly id: string; readonly title: string; readonly at: number };

/** The pattern matches only Parley's own markup, in which a heading has no attribute except its ID. */
const HEADING = /<h([1-4])(?: id="([^"]*)")?>([^]*?)<\/h\1>/g;

/** Lists the possible targets of links, which are the title of the page and every heading with an anchor. */
export const headingsOf = (main: string): Heading[] =>
  [...main.matchAll(HEADING)]
    .map(({ 1: level, 2: id = '', 3: title = '', index }) => ({
      level: Number(level),
      id: plain(id),
      title: plain(title).trim(),
      at: index,
    }))
    .filter(({ level, id }) => level === 1 || id !== '');

/** Creates one entry for each heading, with the words up to the next heading. */
export function entriesOf(path: string, { title: page, kind, main }: Content): Entry[] {
  const headings = headingsOf(main);
  return headings.map(({ level, id, title, at }, index) => {
    const part = main.slice(at, headings[index + 1]?.at ?? main.length);
    const detail = plain(/<p class="endpoint">([^]*?)<\/p>/.exec(part)?.[1] ?? '').trim();
    const text = plain(part.replaceAll(/<button[^]*?<\/button>/g, ' '));
    return {
      title,
      detail,
      place: level === 1 ? kind : page,
      href: level === 1 || id === '' ? path : `${path}#${id}`,
      words: [...new Set(wordsOf(text))].join(' '),
      isPage: level === 1,
    };
  });
}

/** Extracts the text from Parley's own markup. */
const plain = (html: string): string =>
  html
    .replaceAll(/<br>|<\/(?:p|td|th|li|pre|h\d)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_whole, point: string) => String.fromCodePoint(Number(point)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
