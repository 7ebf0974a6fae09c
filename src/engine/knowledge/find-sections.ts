import type { Offer, Passage } from '../provider.ts';
import { rowLabelOf } from './read-passage.ts';
import { HEADING_SEPARATOR } from './split-document.ts';

/**
 * Selects at most three sections that may answer a question, for the person to choose from, the likeliest first.
 * `chances`: the chance of each section's best passage.
 */
export const offerSections = (
  passages: readonly Passage[],
  candidates: readonly { at: readonly number[]; chance: number }[],
): { offers: Offer[]; chances: number[] } => {
  const covered = new Set<number>();
  const windows: { center: number; window: number[] }[] = [];
  const chances: number[] = [];
  for (const { at, chance } of candidates) {
    const center = at[0]!;
    if (covered.has(center)) continue;
    if (windows.length === MAX_OFFERED) break;
    const window = sectionAround(passages, center);
    for (const one of window) covered.add(one);
    windows.push({ center, window });
    chances.push(chance);
  }
  const sections = windows.map(({ center }) => sectionOf(passages[center]!));
  const offers = windows.map(({ center, window }, at) => {
    // Two parts of one section are distinguished by their own text.
    const isAlone = sections.indexOf(sections[at]!) === sections.lastIndexOf(sections[at]!);
    return {
      label: isAlone ? sections[at]! : beginningOf(passages[center]!),
      passages: window.map((one) => passages[one]!),
      nearest: passages[center]!,
    };
  });
  return { offers, chances };
};

/** Returns the indexes of a passage and of the neighbors that are shown with it when a person chooses its section. */
export const sectionAround = (passages: readonly Passage[], at: number): number[] =>
  windowAround(passages, at, MAX_OFFER_CHARACTERS, (one) => one.text.length);

/**
 * Returns the indexes of the passages with a score, the highest score first. Passages with equal scores keep the order
 * of the documents.
 */
export const rankedFirst = (scores: Float64Array): number[] => {
  const order: number[] = [];
  for (const [at, score] of scores.entries()) if (score > 0) order.push(at);
  return order.sort((a, b) => scores[b]! - scores[a]! || a - b);
};

/** Returns a passage and its neighbors in the same section, the nearest first, as long as they fit. */
export const windowAround = (
  passages: readonly Passage[],
  at: number,
  room: number,
  sizeOf: (passage: Passage) => number,
): number[] => {
  const { document_id, section } = passages[at]!;
  const window = [at];
  let left = room - sizeOf(passages[at]!);
  let [before, after] = [at - 1, at + 1];
  const belongs = (one: number): boolean => {
    const passage = passages[one];
    if (passage === undefined || passage.document_id !== document_id || passage.section !== section) return false;
    left -= sizeOf(passage);
    return left >= 0;
  };
  let [goesBack, goesOn] = [true, true];
  while (goesBack || goesOn) {
    if (goesOn && (goesOn = belongs(after))) window.push(after++);
    if (goesBack && (goesBack = belongs(before))) window.push(before--);
  }
  return window.sort((a, b) => a - b);
};

const sectionOf = ({ section, document }: Passage): string =>
  (section?.split(HEADING_SEPARATOR).at(-1) ?? document).slice(0, MAX_LABEL);

/** Returns the first cell of a table row, the label before a colon, or the first words. */
const beginningOf = (passage: Passage): string => rowLabelOf(passage) ?? firstWordsOf(passage);

const firstWordsOf = ({ text }: Passage): string =>
  text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL).replace(/\s+\S*$/, '')} …`;

const MAX_OFFERED = 3;
const MAX_OFFER_CHARACTERS = 700;
const MAX_LABEL = 60;
