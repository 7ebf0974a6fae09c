import type { Estimate } from '../../../contract/dashboard/rollouts.ts';

/**
 * Intervals for shares and averages that stay valid if the results are read after every run and the rollout can stop at
 * any time. An ordinary interval does not stay valid: of 20 harmless versions, an ordinary interval would sooner or
 * later stop more than one.
 *
 * Intervals for the part of the outcomes that are yes: the mixture sequential probability ratio test (mSPRT) of H.
 * Robbins, "Statistical methods related to the law of the iterated logarithm", Annals of Mathematical Statistics 41
 * (1970), as in R. Johari, P. Koomen, L. Pekelis and D. Walsh, "Always valid inference: continuous monitoring of A/B
 * tests", Operations Research 70 (2022). The likelihood of the outcomes for all possible values p of this part, mixed
 * with weights Beta(½, ½), is divided by their likelihood under one p. If this p is true, the quotient is a martingale
 * with mean 1, so by Ville's inequality it ever reaches 1 / (1 − confidence) with at most the probability 1 −
 * confidence. The interval contains each p whose quotient is smaller. For a difference of two versions, the quotients
 * of both versions are multiplied, and the most favorable pair of parts with this difference counts.
 *
 * Averages: the asymptotic confidence sequence of I. Waudby-Smith et al., "Time-uniform central limit theory and
 * asymptotic confidence sequences", Annals of Statistics 52 (2024).
 */

/** Outcomes that are yes or no: their number, and how many are yes. */
export type Tally = { n: number; hits: number };

const STEPS = 60;
/** The number of runs for which the interval of an average is narrowest. */
const TUNED_FOR = 500;

/** Estimates the part of the outcomes that are yes. Null if the tally has no outcome. */
export function estimatePart(tally: Tally, confidence: number): Estimate | null {
  if (tally.n === 0) return null;
  const value = partOf(tally);
  const mixture = logMixture(tally);
  const against = (part: number): number => mixture - logLikelihood(part, tally);
  return { value, ...interval(against, value, [0, 1], confidence) };
}

/** Estimates the part of `of` minus the part of `from`. Null if one tally has no outcome. */
export function estimateDifference(of: Tally, from: Tally, confidence: number): Estimate | null {
  if (of.n === 0 || from.n === 0) return null;
  const value = partOf(of) - partOf(from);
  return { value, ...interval(againstDifference(of, from), value, [-1, 1], confidence) };
}

/** True if the whole interval of the difference is above a limit. */
export const isDifferenceAbove = (limit: number, of: Tally, from: Tally, confidence: number): boolean =>
  of.n > 0 &&
  from.n > 0 &&
  partOf(of) - partOf(from) > limit &&
  againstDifference(of, from)(limit) >= -Math.log(1 - confidence);

/** Estimates the average of `n` values. Null if there are too few values for an interval. */
export function estimateAverage(
  { n, average, deviation }: { n: number; average: number; deviation: number },
  confidence: number,
): Estimate | null {
  if (n < 2) return null;
  const alpha = 1 - confidence;
  const spread = -2 * Math.log(alpha);
  const rho = (spread + Math.log(spread + 1)) / TUNED_FOR;
  const scaled = n * rho + 1;
  const half = deviation * Math.sqrt(((2 * scaled) / (n * n * rho)) * Math.log(Math.sqrt(scaled) / alpha));
  return { value: average, low: Math.max(0, average - half), high: average + half };
}

function againstDifference(of: Tally, from: Tally): (difference: number) => number {
  const mixture = logMixture(of) + logMixture(from);
  return (difference) => mixture - bestLikelihood(of, from, difference);
}

const partOf = ({ n, hits }: Tally): number => hits / n;

/**
 * Returns the range of values whose evidence against them is too small to exclude them. The evidence grows on both
 * sides of `value`.
 */
function interval(
  against: (value: number) => number,
  value: number,
  [lowest, highest]: readonly [number, number],
  confidence: number,
): Pick<Estimate, 'low' | 'high'> {
  const limit = -Math.log(1 - confidence);
  const edge = (outermost: number): number => {
    if (against(outermost) < limit) return outermost;
    let [inside, outside] = [value, outermost];
    for (let step = 0; step < STEPS; step++) {
      const middle = (inside + outside) / 2;
      if (against(middle) < limit) inside = middle;
      else outside = middle;
    }
    return outside;
  };
  return { low: edge(lowest), high: edge(highest) };
}

/**
 * Returns the highest likelihood of both tallies among all parts with the given difference. The likelihood of a
 * binomial rate has one maximum.
 */
function bestLikelihood(of: Tally, from: Tally, difference: number): number {
  const at = (part: number): number => logLikelihood(part + difference, of) + logLikelihood(part, from);
  let [low, high] = [Math.max(0, -difference), Math.min(1, 1 - difference)];
  for (let step = 0; step < STEPS; step++) {
    const third = (high - low) / 3;
    // Both terms of the likelihood are −∞ only at an end of the range, and the search moves away from this end.
    if (at(low + third) < at(high - third)) low += third;
    else high -= third;
  }
  return at((low + high) / 2);
}

const logMixture = ({ n, hits }: Tally): number => logBeta(hits + 0.5, n - hits + 0.5) - logBeta(0.5, 0.5);

const logLikelihood = (part: number, { n, hits }: Tally): number => timesLog(hits, part) + timesLog(n - hits, 1 - part);

const timesLog = (count: number, part: number): number =>
  count === 0 ? 0 : part <= 0 ? -Infinity : count * Math.log(part);

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/**
 * Computes Stirling's series, which is exact to ten digits for arguments from 8 on. Smaller arguments are shifted into
 * the range from 8 on.
 */
function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  while (at < 8) shift += Math.log(at++);
  const square = 1 / (at * at);
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / at;
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
