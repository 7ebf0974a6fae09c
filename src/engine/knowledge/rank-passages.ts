import type { Term } from './analyze-text.ts';
import { type GramTable, rarityOf } from './gram-table.ts';
import type { KeyTable } from './key-table.ts';
import type { Demand } from './read-question.ts';
import { relatedKeys } from './related-words.ts';
import type { PausableWork } from './pausable-work.ts';

/**
 * Ranks all passages for a question and prefers recall. The ranking requires no demand. Each demand adds its weight to
 * the score. Words, topics and kinds of fact count by rarity, as in BM25. Groups of letters find further passages.
 */
export type Ranked = {
  /** The score by passage, or 0 for a passage that shares nothing with the question. */
  scores: Float64Array;
  /** The covered share of the question by passage, by the weight of the words. */
  shares: Float64Array;
};

export type Asked = { demands: readonly Demand[]; terms: readonly Term[]; worth: number };

export function* rankPassages(
  keys: KeyTable,
  grams: GramTable,
  passages: number,
  asked: readonly Asked[],
): PausableWork<Ranked> {
  const byDemands = new Float64Array(passages);
  const byLetters = new Float64Array(passages);
  const best = new Float64Array(passages);
  let wanted = 0;
  for (const { demands, terms, worth } of asked) {
    for (const demand of demands) {
      wanted += worth * (yield* addDemand(demand, worth, keys, passages, best, byDemands));
    }
    yield* grams.score(terms, worth, byLetters);
  }
  yield;
  const shares = byDemands.map((score) => (wanted === 0 ? 0 : score / wanted));
  const [most, mostLetters] = [largest(byDemands), largest(byLetters)];
  const scores = byDemands.map((score, at) => score / most + (LETTERS_WORTH * byLetters[at]!) / mostLetters);
  return { scores, shares };
}

/** Adds one demand to the scores and returns the highest score that a passage could get. */
function* addDemand(
  demand: Demand,
  worth: number,
  keys: KeyTable,
  passages: number,
  best: Float64Array,
  scores: Float64Array,
): PausableWork<number> {
  const met: number[] = [];
  let rarest = 0;
  for (const [key, way] of demand.ways) {
    const id = keys.idOf(key);
    const holding = keys.showing(key);
    if (holding.length > A_STEP) yield;
    // A word that occurs in nearly all passages hardly affects the rank and costs the most time.
    if (id === null || holding.length > MAX_HOLDING) continue;
    const value = way * rarityOf(holding.length, passages);
    rarest = Math.max(rarest, value);
    for (const passage of holding) {
      if (best[passage] === 0) met.push(passage);
      best[passage] = Math.max(best[passage]!, value * keys.worthIn(passage, id));
    }
  }
  yield;
  for (const key of relatedOf(demand)) {
    const holding = keys.showing(key);
    if (holding.length > MAX_HOLDING_RELATED) continue;
    const value = RELATED_WORTH * rarityOf(holding.length, passages);
    for (const passage of holding) {
      if (best[passage] === 0) met.push(passage);
      best[passage] = Math.max(best[passage]!, value);
    }
  }
  yield;
  const weight = weightOf(demand);
  for (const passage of met) {
    scores[passage]! += worth * weight * best[passage]!;
    best[passage] = 0;
  }
  return weight * (rarest > 0 ? rarest : rarityOf(0, passages));
}

/** Returns the keys of words that are used in the same situation as the word of a demand. */
export const relatedOf = ({ term, force, general }: Demand): readonly string[] =>
  term === null || force === 'kind' || general ? [] : relatedKeys(term.stem);

const weightOf = ({ force, general }: Demand): number => {
  if (force === 'kind') return 0.8;
  if (force === 'must') return 1;
  return general ? 0.15 : 0.5;
};

const largest = (scores: Float64Array): number => scores.reduce((most, score) => Math.max(most, score), 1e-9);

const LETTERS_WORTH = 0.5;
const MAX_HOLDING = 50_000;
/** A related word has a lower weight than the word itself, and no weight if it occurs in many passages. */
const RELATED_WORTH = 0.35;
const MAX_HOLDING_RELATED = 2_000;
const A_STEP = 1_000;
