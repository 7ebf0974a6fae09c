import { rankedFirst } from './find-sections.ts';
import type { PausableWork } from './pausable-work.ts';

/**
 * Combines two rankings by reciprocal rank. A passage near the top of either ranking is near the top of the result,
 * even if the scores of the rankings are not comparable. A passage without a vector gets the same rank by meaning as by
 * words.
 */
export function* fuseRanks(words: Float64Array, meaning: Float32Array): PausableWork<Float64Array> {
  const fused = new Float64Array(words.length);
  for (const [rank, at] of rankedFirst(words).entries()) {
    fused[at] = worth(rank) * (Number.isNaN(meaning[at]!) ? 2 : 1);
  }
  yield;
  const near: number[] = [];
  for (const [at, value] of meaning.entries()) if (value > 0) near.push(at);
  yield;
  near.sort((a, b) => meaning[b]! - meaning[a]! || a - b);
  yield;
  for (const [rank, at] of near.slice(0, MAX_NEAR).entries()) fused[at]! += worth(rank);
  return fused;
}

/**
 * The usual constant 60 prefers passages that occur anywhere in both rankings. A paraphrase is at the top of only one
 * of the two rankings. With the constant 5, the first passage of each ranking is always among the best six.
 */
const SMOOTHING = 5;
const worth = (rank: number): number => 1 / (SMOOTHING + rank);
/** Passages with a lower rank have no similar meaning. */
const MAX_NEAR = 200;
