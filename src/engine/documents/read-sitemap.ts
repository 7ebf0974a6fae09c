import { Parser } from 'htmlparser2';

/** The content of a sitemap (sitemaps.org), which are the listed pages, or further sitemaps. */
export type Sitemap = { pages: string[]; sitemaps: string[] };

const MAX_ADDRESSES = 10_000;
const MAX_CHARACTERS = 2_048;

/** Returns null if the XML is not a sitemap. */
export function readSitemap(xml: string): Sitemap | null {
  const found: Sitemap = { pages: [], sitemaps: [] };
  let isSitemap = false;
  let within: 'url' | 'sitemap' | null = null;
  let address: string | null = null;
  const parser = new Parser(
    {
      onopentag: (name) => {
        const local = localName(name);
        isSitemap ||= local === 'urlset' || local === 'sitemapindex';
        if (local === 'url' || local === 'sitemap') within = local;
        // Pictures and videos have a separate `loc` with another namespace.
        if (name === 'loc' || name.endsWith(':loc'))
          address = name === 'loc' || !/^(?:image|video):/.test(name) ? '' : null;
      },
      ontext: (text) => {
        if (address !== null && address.length <= MAX_CHARACTERS) address += text;
      },
      onclosetag: (name) => {
        if (localName(name) !== 'loc') return;
        const list = within === 'url' ? found.pages : found.sitemaps;
        const whole = address?.trim() ?? '';
        if (within !== null && whole !== '' && whole.length <= MAX_CHARACTERS && list.length < MAX_ADDRESSES)
          list.push(whole);
        address = null;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return isSitemap ? found : null;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
