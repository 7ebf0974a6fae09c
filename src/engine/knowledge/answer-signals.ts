import type { Passage } from '../provider.ts';
import { isEmptyWord, termsOf } from './analyze-text.ts';
import { lettersOf, rarityOf } from './gram-table.ts';
import type { KeyTable } from './key-table.ts';
import { type Asked, type Ranked, relatedOf } from './rank-passages.ts';
import type { Demand } from './read-question.ts';

/**
 * The signals of a candidate answer tell how much of the question the passage covers, how clearly it leads, and which
 * words it lacks. All signals are between 0 and about 1, and they need no model.
 */
export const SIGNALS = [
  /** True if the strict search found the candidate, and how much of the question the candidate covers. */
  'strict',
  'coverage',
  /** The score in the ranking, relative to the best passage and to the best passage of another section. */
  'agreement',
  'lead',
  'rivals',
  /** The share of the question that the passage covers, by weight of the words, by words, and by letter groups. */
  'share',
  'words',
  'letters',
  'headingWords',
  /** The missing words of the passage: the rarest word that another passage has, and the words that no document has. */
  'missingKnown',
  'missingUnknown',
  /** The share of the missing words for which the passage has a word that is used in the same situation. */
  'related',
  /** True if the question has a topic of the lexicon that no document covers. */
  'foreign',
  /** True if a missing model number or a similar word shows that the passage is about a different thing. */
  'decisiveMissing',
  /** True if the passage has or lacks the kind of fact that the question asks for. */
  'kindPresent',
  'kindMissing',
  /** The length of the question, and whether it is the only question of the message. */
  'single',
  'length',
  'story',
  /** The number of passages of the agent. */
  'size',
] as const;

export type Signals = Record<(typeof SIGNALS)[number], number>;

export type Candidate = {
  /** The indexes of the candidate's passages, the best passage first. */
  at: number[];
  /** The coverage of the strict search, or 0 if only the ranking found the candidate. */
  coverage: number;
};

/**
 * The ranking around a candidate: the best score, the best score of another section, and the number of sections near
 * the best.
 */
export type Rest = { best: number; elsewhere: number; rivals: number };

/** The parts of an index that the signals use. */
export type IndexView = {
  keys: KeyTable;
  passages: readonly Passage[];
  isTelling(demand: Demand): boolean;
};

/** Facts about the question that are the same for all candidates. */
type QuestionFacts = {
  asked: Asked;
  /** The alternatives of each demand that occur in a document, with their rarity. */
  demands: {
    demand: Demand;
    ways: { id: number; worth: number }[];
    /** Indexed words that are used in the same situation. */
    related: number[];
    rarity: number;
    isKnown: boolean;
  }[];
  letters: ReadonlySet<number>;
  isWhole: boolean;
  words: number;
};

export const factsOf = (asked: Asked, isWhole: boolean, { keys, passages }: IndexView): QuestionFacts => ({
  asked,
  isWhole,
  letters: lettersOf(asked.terms),
  words: asked.terms.filter((term) => !isEmptyWord(term)).length,
  demands: asked.demands.map((demand) => {
    const ways = [...demand.ways].flatMap(([key, worth]) => {
      const id = keys.idOf(key);
      return id === null ? [] : [{ key, id, worth }];
    });
    const related = relatedOf(demand).flatMap((key) => keys.idOf(key) ?? []);
    const words = ways.filter(({ key }) => !key.startsWith('f:'));
    const holding = Math.max(0, ...words.map(({ key }) => keys.showing(key).length));
    const most = rarityOf(0, passages.length);
    return { demand, ways, related, isKnown: words.length > 0, rarity: rarityOf(holding, passages.length) / most };
  }),
});

export const signalsOf = (
  facts: QuestionFacts,
  candidate: Candidate,
  { scores, shares }: Ranked,
  rest: Rest,
  view: IndexView,
): Signals => {
  const [first] = candidate.at;
  const passage = view.passages[first!]!;
  let [found, wanted, missingKnown, missingUnknown, foreign, decisive, kindPresent, kindMissing] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ];
  let [lacking, related] = [0, 0];
  for (const { demand, ways, related: near, rarity, isKnown } of facts.demands) {
    const shown = candidate.at.some((at) => ways.some(({ id, worth }) => worth * view.keys.worthIn(at, id) >= SHOWN));
    if (demand.force === 'kind') {
      if (shown) kindPresent = 1;
      else kindMissing = 1;
      continue;
    }
    const weight = demand.force === 'must' ? 1 : demand.general ? 0.1 : 0.4;
    wanted += weight;
    if (shown) {
      found += weight;
      continue;
    }
    lacking += weight;
    if (near.some((id) => candidate.at.some((at) => view.keys.worthIn(at, id) > 0))) related += weight;
    if (demand.force !== 'must') continue;
    if (demand.decisive || view.isTelling(demand)) decisive = 1;
    if (isKnown) missingKnown = Math.max(missingKnown, rarity);
    else {
      missingUnknown++;
      if (demand.term !== null && demand.term.means.length > 0) foreign = 1;
    }
  }
  const heading = lettersOf(termsOf(passage.heading ?? ''));
  const text = lettersOf(termsOf(`${passage.document} ${passage.heading ?? ''} ${passage.text}`));
  return {
    strict: candidate.coverage > 0 ? 1 : 0,
    coverage: candidate.coverage,
    agreement: scores[first!]! / rest.best,
    lead: Math.max(-1, Math.min(1, (scores[first!]! - rest.elsewhere) / rest.best)),
    rivals: Math.min(1, rest.rivals / 5),
    share: shares[first!]!,
    words: wanted === 0 ? 0 : found / wanted,
    letters: shareOfLetters(facts.letters, text),
    headingWords: shareOfLetters(facts.letters, heading),
    missingKnown,
    missingUnknown: Math.min(1, missingUnknown / 3),
    related: lacking === 0 ? 0 : related / lacking,
    foreign,
    decisiveMissing: decisive,
    kindPresent,
    kindMissing,
    single: facts.words <= 1 ? 1 : 0,
    length: Math.min(1, facts.words / 12),
    story: facts.isWhole ? 0 : 1,
    size: Math.min(1, Math.log2(view.passages.length + 1) / 8),
  };
};

/** A demand with a value below SHOWN does not count as met. */
const SHOWN = 0.5;

/** Returns the share of a question's letter groups that a text contains. */
const shareOfLetters = (asked: ReadonlySet<number>, text: ReadonlySet<number>): number => {
  let both = 0;
  for (const group of asked) if (text.has(group)) both++;
  return asked.size === 0 ? 0 : both / asked.size;
};
