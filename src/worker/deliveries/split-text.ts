/**
 * Cuts what an agent says into messages that a channel carries, at the end of a paragraph, a sentence or a word, never
 * within a character. Each part becomes a message of its own, so that each is sent once and has its own state.
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

/** A cut that leaves less than half of what would fit is worse than one within a paragraph. */
function cutAt(text: string, max: number): number {
  const window = text.slice(0, max);
  for (const end of [/\n\n/g, /\n/g, /[.!?؟।]\s/g, /\s/g]) {
    const at = [...window.matchAll(end)].at(-1)?.index;
    if (at !== undefined && at + 1 >= max / 2) return at + 1;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(window);
  return isHalf ? max - 1 : max;
}
