import type { Finding, Offer } from '../provider.ts';
import { type Signals, SIGNALS } from './answer-signals.ts';
import { ANSWER_WEIGHTS, ASK_AT, ANSWER_AT, SECTION_WEIGHTS } from './decision-weights.ts';

/**
 * Decides whether a candidate is quoted, sections are offered, or the agent does not know. Two small logistic models
 * estimate the chance that a candidate answers the question, and the chance that one of the offered sections does. The
 * weights of both models and the two thresholds come from `bench/knowledge/train-decision.ts`.
 */
export type Weighed = {
  /** The candidates, the likeliest first. */
  candidates: { at: readonly number[]; signals: Signals; chance: number }[];
  offers: Offer[];
  /** The chances of the offered sections. */
  chances: readonly number[];
  /** The chance that one of the offered sections answers. */
  near: number;
  /**
   * True: the likeliest answer is in another script than the question, and the documents have passages in the script of
   * the question.
   */
  isForeign: boolean;
  findingOf(at: number): Finding;
};

type Decision = 'answer' | 'ask' | 'unknown';

export const decide = ({ candidates, near, isForeign }: Weighed): Decision => {
  const [best] = candidates;
  if (best === undefined) return 'unknown';
  const mayAsk = near >= ASK_AT;
  // For example, a person who writes English may not read the Arabic half of the documents.
  if (best.chance >= ANSWER_AT && !(isForeign && mayAsk)) return 'answer';
  return mayAsk ? 'ask' : 'unknown';
};

export const chanceOf = (signals: Signals): number => logistic(ANSWER_WEIGHTS, answerFeatures(signals));

export const nearOf = (best: Signals | undefined, chances: readonly number[]): number =>
  best === undefined ? 0 : logistic(SECTION_WEIGHTS, sectionFeatures(best, chances));

/**
 * The features are the signals, and products of signals that are only meaningful together. The first feature is the
 * constant.
 */
export const answerFeatures = (signals: Signals): number[] => [
  1,
  ...SIGNALS.map((name) => signals[name]),
  signals.strict * signals.agreement,
  signals.words * signals.lead,
  signals.letters * signals.agreement,
  signals.related * signals.agreement,
  signals.missingUnknown * (1 - signals.related),
  signals.strict * signals.single,
  signals.strict * signals.kindPresent,
  signals.lead * signals.related,
];

/** Returns the features of the likeliest candidate, with the chances of the offered sections. */
export const sectionFeatures = (best: Signals, chances: readonly number[]): number[] => [
  ...answerFeatures(best),
  chances[0] ?? 0,
  chances.reduce((sum, chance) => sum + chance, 0),
  1 - chances.reduce((none, chance) => none * (1 - chance), 1),
];

export const logistic = (weights: readonly number[], features: readonly number[]): number => {
  const sum = features.reduce((total, feature, at) => total + feature * (weights[at] ?? 0), 0);
  return 1 / (1 + Math.exp(-sum));
};
