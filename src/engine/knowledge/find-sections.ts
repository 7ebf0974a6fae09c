import type { Offer, Passage } from '../provider.ts';
import { HEADING_SEPARATOR } from './split-document.ts';
import type { Ranked } from './rank-passages.ts';

/**
 * The sections that may answer a question, for a person who chooses: the nearest alone when it is clearly nearer than
 * the next, otherwise two, or none when nothing says what was asked about.
 */
export const offerSections = (passages: readonly Passage[], { scores, shares }: Ranked): Offer[] => {
  const order = rankedFirst(scores).slice(0, MAX_LOOKED_AT);
  const best = order[0];
  if (best === undefined || shares[best]! < LEAST_SHARE) return [];
  const covered = new Set<number>();
  const windows: number[][] = [];
  for (const at of order) {
    if (covered.has(at)) continue;
    if (windows.length === 2) break;
    if (windows.length === 1 && scores[at]! < CLEAR * scores[best]!) break;
    const window = windowAround(passages, at, MAX_OFFER_CHARACTERS, (one) => one.text.length);
    for (const one of window) covered.add(one);
    windows.push(window);
  }
  const offers = windows.map((window) => window.map((at) => passages[at]!));
  const labels = offers.map(([first]) => labelOf(first!));
  return offers.map((section, at) => ({
    label:
      labels.indexOf(labels[at]!) === labels.lastIndexOf(labels[at]!)
        ? labels[at]!
        : beginningOf(passages[order[at]!]!),
    passages: section,
  }));
};

/** Passages with a score, the highest first; equal ones in the order of the documents. */
export const rankedFirst = (scores: Float64Array): number[] => {
  const order: number[] = [];
  for (const [at, score] of scores.entries()) if (score > 0) order.push(at);
  return order.sort((a, b) => scores[b]! - scores[a]! || a - b);
};

/** A passage and its neighbours in the same section, the nearest first, while they fit. */
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

const labelOf = ({ section, document }: Passage): string =>
  (section?.split(HEADING_SEPARATOR).at(-1) ?? document).slice(0, MAX_LABEL);

const beginningOf = ({ text }: Passage): string =>
  text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL).replace(/\s+\S*$/, '')} …`;

/** Below this share of what was asked, nothing is offered. */
const LEAST_SHARE = 0.12;
/** The second is offered too unless its score is below this share of the first's. */
const CLEAR = 0.5;
const MAX_LOOKED_AT = 50;
const MAX_OFFER_CHARACTERS = 700;
const MAX_LABEL = 60;
