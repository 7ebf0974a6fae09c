import type { MessageSource } from '../../../contract/messages.ts';
import type { Passage } from '../provider.ts';

/**
 * Matches `[1]`, `[1, 3]`, `【2】`, `[٢]` with the spaces before it, but not `[1](https://…)`, which is a link. A match
 * starts only at the first space of a run, so that a long run does not take quadratic time.
 */
const MARKER = /(?<![ \t\u00a0])[ \t\u00a0]*[[【][ \t]*(\p{Nd}+(?:[ \t]*[,،;][ \t]*\p{Nd}+)*)[ \t]*[\]】](?!\()/gu;

/**
 * Removes the citation markers from an answer and returns the passages that the markers name, in the order of their
 * first mention. Square brackets that name no passage stay, because they are the model's own text.
 */
export function citePassages(text: string, passages: readonly Passage[]): { text: string; sources: MessageSource[] } {
  const cited = new Set<Passage>();
  const plain = withoutMarkers(text, passages, cited);
  const sources = [...cited].map(({ document, text: quote }) => ({ document, quote }));
  return { text: plain.trim(), sources };
}

/** Adds the passages that the markers name to `cited`. */
export const withoutMarkers = (text: string, passages: readonly Passage[], cited = new Set<Passage>()): string =>
  text.replace(MARKER, (marker, list: string) => {
    const named = list.split(/[,،;]/).map((digits) => passages[readNumber(digits) - 1]);
    if (named.length === 0 || named.some((passage) => passage === undefined)) return marker;
    for (const passage of named) cited.add(passage!);
    return '';
  });

/**
 * Reads digits of any script: the ten digits of each script are consecutive code points, so counting down finds the
 * zero.
 */
function readNumber(text: string): number {
  let value = 0;
  for (const digit of text.trim()) value = value * 10 + valueOf(digit);
  return value;
}

const valueOf = (digit: string): number => {
  const code = digit.codePointAt(0)!;
  if (code < 0x80) return code - 0x30;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
};
