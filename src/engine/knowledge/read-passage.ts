import type { Passage } from '../provider.ts';
import { joinedAt, phraseAt, type Term, weekdayOf } from './analyze-text.ts';
import { featuresOf } from './detect-features.ts';
import { foldText } from './fold-text.ts';
import { HEADING_SEPARATOR } from './split-document.ts';

/**
 * Returns every key by which a question may find a passage, with its weight, and the number of words in the text. Words
 * in the text weigh most, then the nearest heading, the headings above it, the document's name, and wordings of
 * questions.
 */
export const readPassage = (
  passage: Passage,
  before: Passage | undefined,
  terms: (text: string) => Term[],
): { keys: Map<string, number>; length: number } => {
  const keys = new Map<string, number>();
  const path = passage.heading?.split(HEADING_SEPARATOR) ?? [];
  const text = terms(spellRanges(passage.text));
  addKeys(keys, text, FIELD.text);
  const inText = new Set(keys.keys());
  for (const [at, heading] of path.entries())
    addKeys(keys, terms(heading), at === path.length - 1 ? FIELD.heading : FIELD.above);
  addKeys(keys, terms(passage.document.replace(/\.[a-z]{2,4}$/i, '').replace(/[-_]/g, ' ')), FIELD.document);
  for (const { question, written } of passage.wordings ?? [])
    addKeys(keys, terms(question), written ? FIELD.written : FIELD.wording);
  if (before !== undefined && before.heading === passage.heading && REFERS_BACK.test(passage.text)) {
    addKeys(keys, terms(spellRanges(before.text)), FIELD.before);
  }
  for (const [key, field] of keys.entries().toArray()) {
    // A heading counts for the kinds of its topic ("Pets" for "dog"), unless the text of the passage names other kinds.
    if (key.startsWith('c:') && (inText.has(key) || !inText.has(`n:${key.slice(2)}`)))
      keys.set(`t:${key.slice(2)}`, field);
  }
  for (const feature of featuresOf(foldText(passage.text))) keys.set(`f:${feature}`, 1);
  return { keys, length: text.length };
};

const addKeys = (keys: Map<string, number>, terms: readonly Term[], field: number): void => {
  const add = (key: string): void => {
    if ((keys.get(key) ?? 0) < field) keys.set(key, field);
  };
  let within = 0;
  for (const [at, term] of terms.entries()) {
    const phrase = phraseAt(terms, at);
    if (phrase !== null) within = Math.max(within, at + phrase.span);
    // In "debit card", the word "card" does not mean cards in general.
    addTermKeys(term, add, at >= within);
    if (phrase !== null) addTermKeys(phrase, add, true);
    const joined = joinedAt(terms, at);
    if (joined !== null) add(`s:${joined}`);
    if (at > 0 && /^\d/.test(term.word)) add(`j:${terms[at - 1]!.stem} ${term.stem}`);
  }
  for (const day of daysNamed(terms)) add(`c:day_${day}`);
};

/** The place of a word (text, heading, document name) decides its weight for the passage. */
const FIELD = { text: 1, before: 0.72, heading: 0.96, above: 0.9, document: 0.85, wording: 0.7, written: 0.6 } as const;
/** A passage that begins with "it" or "this" continues the topic of the passage before. */
const REFERS_BACK =
  /^(?:it|its|they|their|this|these|both|he|she|هو|هي|وهو|وهي|يتميز|ويتميز|كما|यह|ये|इस|इसकी|इसका|इसके|इसमें|उनकी|उनका)(?![\p{L}\p{M}])/iu;

/** A dash between words means "to". A hyphen means "to" only between weekdays. */
const spellRanges = (text: string): string =>
  text.replace(/(?<=\p{L})(?:\s+[-–—]\s+|[–—])(?=\p{L})/gu, ' to ').replace(DAY_HYPHEN, '$1 to ');
const DAY =
  '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?|[\\u0900-\\u097f]+वार|ال(?:أحد|احد|اثنين|إثنين|ثلاثاء|أربعاء|خميس|جمعة|سبت)';
const DAY_HYPHEN = new RegExp(`(${DAY})-(?=${DAY})`, 'giu');

/**
 * Adds the keys of one term. Without `meanings`, the meanings of a term are left out, because it is part of a phrase
 * with another meaning.
 */
export const addTermKeys = (term: Term, add: (key: string) => void, meanings: boolean): void => {
  add(`s:${term.stem}`);
  if (term.otherStem !== null) add(`s:${term.otherStem}`);
  if (term.skeleton !== null) add(`k:${term.skeleton}`);
  if (!meanings) return;
  for (const concept of term.means) add(`c:${concept}`);
  for (const concept of term.kindOf) add(`n:${concept}`);
};

/** Returns the column names in a table row, as `passagesOf` writes the row. */
export const columnsOf = (passage: Passage): string[] =>
  [...passage.text.matchAll(/(?:^|; )([^:;]{1,40}):/g)].map((match) => match[1]!);

/**
 * Returns the stated topics of a passage, which are its headings, the label before a colon, and the first cell of a
 * table row.
 */
export const labelsOf = (passage: Passage): string[] => {
  const headings = passage.heading?.split(HEADING_SEPARATOR) ?? [];
  return [...headings, rowLabelOf(passage)].filter((text) => text !== null && text.length <= 80) as string[];
};

/**
 * Returns the first cell of a table row, or the label before a colon. Null if the text has neither a cell nor a label.
 */
export const rowLabelOf = ({ text }: Passage): string | null =>
  /^[^:;]{1,40}: ([^:;]{1,60});/.exec(text)?.[1] ?? /^([^:;.!?؟।]{2,60}):/.exec(text)?.[1] ?? null;

const RANGE = new Set(['to', 'till', 'until', 'through', 'الي', 'حتي', 'لغايه', 'से', 'तक', 'thru']);
const EVERY_DAY = new Set(['daily', 'everyday', 'يوميا', 'रोजाना', 'प्रतिदिन']);

/** The phrase "Sunday to Thursday" names all days between them, and "daily" names all days. */
const daysNamed = (terms: readonly Term[]): number[] => {
  const days: number[] = [];
  for (const [at, term] of terms.entries()) {
    const everyDay = EVERY_DAY.has(term.word) || (term.word === 'every' && terms[at + 1]?.word === 'day');
    if (everyDay) days.push(0, 1, 2, 3, 4, 5, 6);
    const from = weekdayOf(term);
    if (from === null) continue;
    const [between, end] = [terms[at + 1], terms[at + 2]];
    const to = between !== undefined && end !== undefined && RANGE.has(between.word) ? weekdayOf(end) : null;
    if (to !== null) for (let day = from; day !== to; day = (day + 1) % 7) days.push(day);
  }
  return days;
};
