import { rankedFirst } from './find-sections.ts';
import type { Steps } from './steps.ts';

/**
 * Two rankings as one, by reciprocal rank: what is near the top of either is near the top of both, and their scores need
 * not be comparable. A passage without a vector counts as if the meaning ranked it where the words do.
 */
export function* fuseRanks(words: Float64Array, meaning: Float32Array): Steps<Float64Array> {
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
 * The usual 60 prefers what is somewhere in both rankings. A paraphrase is at the top of one alone: with 5 the first of
 * each is always among the best six.
 */
const SMOOTHING = 5;
const worth = (rank: number): number => 1 / (SMOOTHING + rank);
/** Further ones are near nothing. */
const MAX_NEAR = 200;
