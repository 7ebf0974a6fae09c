/**
 * Gives each page a single address. The function removes the parts that do not change the page, so that the page is not
 * read twice.
 */
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid|msclkid|mc_[ce]id|yclid|_ga|_gl)$/i;
/** An address with more characters is refused, because cursors of lists contain addresses. */
const MAX_CHARACTERS = 600;

/**
 * Returns null if the address is not the address of a web page, because of another scheme, credentials, or its length.
 */
export function pageAddress(address: string, base?: string): string | null {
  const url = URL.parse(address.trim(), base);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  // The query is replaced only if a parameter is removed, because a new query has another encoding.
  const names = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of names) url.searchParams.delete(name);
  if (url.search === '') url.search = '';
  return url.href.length <= MAX_CHARACTERS ? url.href : null;
}

export const hostOf = (address: string): string => new URL(address).host;

/**
 * Returns the scope of a source, which is one page, the whole host of a sitemap, or everything below the address of a
 * site.
 */
export function scopeOf(address: string, kind: 'page' | 'sitemap' | 'site'): string {
  const url = new URL(address);
  if (kind === 'page') return address;
  if (kind === 'sitemap') return `${url.origin}/`;
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const last = url.pathname.slice(folder.length);
  // The path "/docs" is a folder without its slash. The path "/docs/index.html" is a file.
  return url.origin + (last === '' || last.includes('.') ? folder : url.pathname);
}

/** The scope "/docs" includes "/docs" and "/docs/help", but not "/docs-of-others". */
export function isInScope(address: string, scope: string): boolean {
  const [at, within] = [new URL(address), new URL(scope)];
  if (at.origin !== within.origin) return false;
  const folder = within.pathname.endsWith('/') ? within.pathname : `${within.pathname}/`;
  return at.pathname === within.pathname || at.pathname.startsWith(folder);
}

/** The extensions of pictures, programs and other files that are not pages and cannot become documents. */
const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|zip|gz|tar|rar|7z|mp[34]|m4a|wav|avi|mov|webm|woff2?|ttf|eot|exe|dmg|apk|rss|atom)$/i;
export const mayBePage = (address: string): boolean => !NO_PAGE.test(new URL(address).pathname);
