/** One address for one page: what does not change the page is removed, so that it is not read twice. */
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid|msclkid|mc_[ce]id|yclid|_ga|_gl)$/i;
/** Cursors of lists name an address. */
const MAX_CHARACTERS = 600;

/** Null for what is no web page: another scheme, credentials, too long. */
export function pageAddress(address: string, base?: string): string | null {
  const url = URL.parse(address.trim(), base);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  // Written back only when something is removed: writing it changes how it is encoded.
  const names = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of names) url.searchParams.delete(name);
  if (url.search === '') url.search = '';
  return url.href.length <= MAX_CHARACTERS ? url.href : null;
}

export const hostOf = (address: string): string => new URL(address).host;

/** What belongs to a source: one page, the whole host of a sitemap, what is below the address of a site. */
export function scopeOf(address: string, kind: 'page' | 'sitemap' | 'site'): string {
  const url = new URL(address);
  if (kind === 'page') return address;
  if (kind === 'sitemap') return `${url.origin}/`;
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const last = url.pathname.slice(folder.length);
  // "/docs" is a folder without its slash; "/docs/index.html" is a file.
  return url.origin + (last === '' || last.includes('.') ? folder : url.pathname);
}

/** "/docs" has "/docs" and "/docs/help", but not "/docs-of-others". */
export function isInScope(address: string, scope: string): boolean {
  const [at, within] = [new URL(address), new URL(scope)];
  if (at.origin !== within.origin) return false;
  const folder = within.pathname.endsWith('/') ? within.pathname : `${within.pathname}/`;
  return at.pathname === within.pathname || at.pathname.startsWith(folder);
}

/** Pictures, programs and the like: no page, and no file that becomes a document. */
const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|zip|gz|tar|rar|7z|mp[34]|m4a|wav|avi|mov|webm|woff2?|ttf|eot|exe|dmg|apk|rss|atom)$/i;
export const mayBePage = (address: string): boolean => !NO_PAGE.test(new URL(address).pathname);
