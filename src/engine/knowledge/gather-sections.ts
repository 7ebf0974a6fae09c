import type { Passage } from '../provider.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { rankedFirst, windowAround } from './find-sections.ts';
import type { PausableWork } from './pausable-work.ts';

/**
 * Returns the tokens that a passage needs in a model's prompt for its text, its number, and a line with its heading.
 */
export const tokensOf = ({ document, heading, text }: Passage): number =>
  estimateTokens(text) + estimateTokens(`${document} › ${heading ?? ''}`) + NUMBER_TOKENS;

/**
 * Selects passages for a model within a budget: first the best passages, then the sections around them, then further
 * ranked passages. The result is in the order of the documents.
 */
export function* gatherSections(
  passages: readonly Passage[],
  scores: Float64Array,
  tokens: number,
): PausableWork<number[]> {
  const order = rankedFirst(scores).slice(0, MAX_GATHERED);
  const chosen = new Set<number>();
  let left = tokens;
  const take = (at: number): void => {
    const cost = tokensOf(passages[at]!);
    if (chosen.has(at) || cost > left) return;
    chosen.add(at);
    left -= cost;
  };
  order.slice(0, BEST).forEach(take);
  for (const at of order) {
    yield;
    if (left <= NUMBER_TOKENS) break;
    // A document without headings is one section, so no section may use the whole budget.
    windowAround(passages, at, tokens / SHARES, tokensOf).forEach(take);
  }
  return [...chosen].sort((a, b) => a - b);
}

const NUMBER_TOKENS = 5;
const BEST = 8;
const SHARES = 8;
const MAX_GATHERED = 1_000;
