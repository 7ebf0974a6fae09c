import { oneLine } from '../../kernel/one-line.ts';

/**
 * A run of letters as the PDF draws it. A run contains its position on the page, because the runs have no defined
 * order.
 */
export type Drawn = { text: string; x: number; y: number; width: number; height: number; endsLine: boolean };
export type Line = { text: string; y: number; height: number };

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
const LATIN = /[A-Za-z\u00c0-\u024f]/g;
/**
 * Matches ligatures, and letters in the shape for their position in the word. The reader replaces shaped letters by the
 * plain letters.
 */
const SHAPED = /[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]+/g;

/** Returns the lines of one page, each in reading order. */
export function linesOf(drawn: readonly Drawn[]): Line[] {
  const lines: Line[] = [];
  let line: Drawn[] = [];
  const end = (): void => {
    const text = plainLetters(oneLine(inReadingOrder(line)));
    const letters = line.filter((one) => one.text.trim() !== '');
    if (text !== '') lines.push({ text, y: letters[0]!.y, height: Math.max(...letters.map(({ height }) => height)) });
    line = [];
  };
  for (const one of drawn) {
    // The marker of a line end has the position of the next line.
    if (one.text !== '') line.push(one);
    if (one.endsLine) end();
  }
  end();
  return lines;
}

/**
 * Many programs draw a line of Arabic from left to right, letter by letter. Reversing the runs restores the order of
 * the Arabic, but Latin words in the line still run from left to right.
 */
function inReadingOrder(line: readonly Drawn[]): string {
  const whole = line.map(({ text }) => text).join('');
  if (count(whole, RTL) <= count(whole, LATIN)) return joined(line);
  const fromRight = line.toSorted((one, other) => other.x - one.x);
  const read: Drawn[] = [];
  for (let at = 0; at < fromRight.length; at++) {
    const end = endOfLatin(fromRight, at);
    read.push(...fromRight.slice(at, end).toReversed());
    if (end > at) at = end - 1;
    else read.push(fromRight[at]!);
  }
  return joined(read);
}

const joined = (line: readonly Drawn[]): string =>
  line.map((one, at) => (isApart(line[at - 1], one) ? ` ${one.text}` : one.text)).join('');

/** Cells of a table have no space between them, only a gap. */
const isApart = (one: Drawn | undefined, other: Drawn): boolean => {
  if (one === undefined) return false;
  const [left, right] = one.x < other.x ? [one, other] : [other, one];
  return right.x - left.x - left.width > MIN_GAP * Math.max(left.height, right.height, 1);
};
const MIN_GAP = 0.6;

/**
 * Returns the end of the run of Latin words that begins at this index. If the line has no Latin words, the result is
 * `from`.
 */
function endOfLatin(line: readonly Drawn[], from: number): number {
  let end = from;
  let hasLetters = false;
  for (let at = from; at < line.length && count(line[at]!.text, RTL) === 0; at++) {
    const { text } = line[at]!;
    hasLetters ||= count(text, LATIN) > 0;
    if (/[A-Za-z\u00c0-\u024f0-9]/.test(text)) end = at + 1;
    else if (at === from) return from;
  }
  return hasLetters ? end : from;
}

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

const plainLetters = (text: string): string => text.replaceAll(SHAPED, (shaped) => shaped.normalize('NFKC'));
