const HOST = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d+)?$|^localhost(?::\d+)?$/;

/**
 * The origin of a site that a person typed or pasted, such as `shop.example` or `https://shop.example/cart`. Null: it
 * is not clear which site is meant.
 */
export function originOf(typed: string): string | null {
  const text = typed.trim();
  const isWhole = /^https?:\/\//i.test(text);
  const whole = isWhole ? text : `${/^localhost\b/i.test(text) ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(whole)) return null;
  const { origin, host, username } = new URL(whole);
  return username === '' && (isWhole || HOST.test(host)) ? origin : null;
}

/** The name of a channel for this site. */
export const nameOfSite = (origin: string): string => origin.replace(/^https?:\/\/(?:www\.)?/, '');
