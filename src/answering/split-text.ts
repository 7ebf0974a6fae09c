/**
 * Splits a text of the agent into messages that fit the channel. The function splits at the end of a paragraph, a
 * sentence or a word, never within a character. Each part becomes a separate message, so each part is sent once and has
 * a separate status.
 */
export function splitText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const at = cutAt(rest, max);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts;
}

/** A split within a paragraph is better than a message that is less than half full. */
function cutAt(text: string, max: number): number {
  const window = text.slice(0, max);
  for (const end of [/\n\n/g, /\n/g, /[.!?؟।]\s/g, /\s/g]) {
    const at = [...window.matchAll(end)].at(-1)?.index;
    if (at !== undefined && at + 1 >= max / 2) return at + 1;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(window);
  return isHalf ? max - 1 : max;
}
