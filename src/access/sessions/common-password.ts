import { loadOnce } from '../../kernel/load-once.ts';

/**
 * True if a password is one of the first guesses: a common password, also with a few digits or signs around it, a
 * repeated short piece, a sequence (12345…, abcdef…), or the person's own name or address. The check follows NIST SP
 * 800-63B, which recommends a block list instead of rules about kinds of characters.
 */
export async function isCommonPassword(password: string, own: readonly string[] = []): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase();
  if (isRun(text)) return true;
  const list = await loadList();
  const isListed = (word: string): boolean => list.has(word);
  if (isListed(text)) return true;
  if (text.length - coreOf(text).length <= MAX_DECORATION && isListed(coreOf(text))) return true;
  const piece = REPEATED.exec(text)?.[1];
  if (piece !== undefined && (piece.length <= SHORT_PIECE || isListed(piece))) return true;
  return isOwn(text, ownWords(own));
}

/** `dragon2024!!` counts as `dragon`, because people add digits and signs at the ends when a rule requires them. */
const MAX_DECORATION = 6;
const coreOf = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

const REPEATED = /^(.{1,32}?)\1+$/su;
/** A repeated `abcd` is as easy to guess as a single `abcd`. */
const SHORT_PIECE = 4;

/**
 * True if the step from each character to the next is the same small number, as in "abcd" or "4321". Among digits, zero
 * follows nine.
 */
function isRun(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  const step = stepOf(codes[0]!, codes[1] ?? 0);
  return Math.abs(step) <= 1 && codes.slice(1).every((code, index) => stepOf(codes[index]!, code) === step);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const stepOf = (a: number, b: number): number => (isDigit(a) && isDigit(b) ? ((b - a + 15) % 10) - 5 : b - a);

/** The name of the product counts as a word of the person. */
const OURS = 'parley';
/** Shorter words are part of too many other words. */
const OWN_CHARACTERS = 3;

const ownWords = (own: readonly string[]): string[] =>
  [OURS, ...own.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))]
    .filter((word) => word.length >= OWN_CHARACTERS)
    .toSorted((a, b) => b.length - a.length);

/** The minimum number of remaining letters that are not part of the person's own words. */
const OTHER_LETTERS = 4;

function isOwn(text: string, words: readonly string[]): boolean {
  let rest = text;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest !== text && rest.replaceAll(/\P{L}/gu, '').length < OTHER_LETTERS;
}

/**
 * The list has 49,000 words and needs 20 MB of memory. Only a process that sets passwords loads the list, once, in
 * about 30 ms.
 */
const loadList = loadOnce(async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});
