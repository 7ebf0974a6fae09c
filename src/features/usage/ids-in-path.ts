/** Matches one of Parley's IDs, of any kind. */
const OURS = /^[a-z]{2,10}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Callers put their own IDs into this parameter, which may be the name of a person. */
const CALLERS = 'external_id';

/** Returns the values of a route's path parameters, but only IDs that mean nothing outside of Parley. */
export function idsInPath(route: string, target: string): Record<string, string> {
  if (!route.includes(':')) return {};
  const parts = target.split('?', 1)[0]!.split('/');
  const ids: Record<string, string> = {};
  for (const [index, place] of route.split('/').entries()) {
    const part = parts[index];
    if (place.startsWith(':') && place !== `:${CALLERS}` && part !== undefined && OURS.test(part))
      ids[place.slice(1)] = part;
  }
  return ids;
}
