const HOST = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d+)?$|^localhost(?::\d+)?$/;

/**
 * Returns the origin of a site that a person typed or pasted, such as `shop.example` or `https://shop.example/cart`.
 * Null: the text does not clearly name a site.
 */
export function originOf(typed: string): string | null {
  const text = typed.trim();
  const isWhole = /^https?:\/\//i.test(text);
  const whole = isWhole ? text : `${/^localhost\b/i.test(text) ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(whole)) return null;
  const { origin, host, username } = new URL(whole);
  return username === '' && (isWhole || HOST.test(host)) ? origin : null;
}

/** Returns the name of a channel for the given site. */
export const nameOfSite = (origin: string): string => origin.replace(/^https?:\/\/(?:www\.)?/, '');
