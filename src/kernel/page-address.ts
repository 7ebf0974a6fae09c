/** One address for one page: what does not change the page is removed, so that it is not read twice. */
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid|msclkid|mc_[ce]id|yclid|_ga|_gl)$/i;
const MAX_CHARACTERS = 2_000;

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
