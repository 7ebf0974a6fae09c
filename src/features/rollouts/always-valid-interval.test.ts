import { expect, test } from 'vitest';
import { estimateAverage, estimateDifference, estimatePart, type Tally } from './always-valid-interval.ts';
import { isWorse } from './judge-rollout.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);
const LIMIT = { worse_by: 0, confidence: 0.95 };

/** Random numbers of a seed (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Traffic = {
  seed: number;
  /** The part of the end users that gets the version. */
  share: number;
  endUsers: number;
  /** The probability that the n-th end user has a problem. */
  base: (n: number) => number;
  version: (n: number) => number;
  limit?: typeof LIMIT;
};

/** Looks after every end user. Returns the end user at whom the rollout stopped. Null: it did not. */
function stopsAt({ seed, share, endUsers, base, version, limit = LIMIT }: Traffic): number | null {
  const random = randomOf(seed);
  const old: Tally = { n: 0, hits: 0 };
  const tried: Tally = { n: 0, hits: 0 };
  for (let n = 1; n <= endUsers; n++) {
    const isIn = random() < share;
    const arm = isIn ? tried : old;
    arm.n += 1;
    arm.hits += random() < (isIn ? version : base)(n) ? 1 : 0;
    if (isWorse(tried, old, limit)) return n;
  }
  return null;
}

const stopped = (traffic: Omit<Traffic, 'seed'>): number =>
  SEEDS.filter((seed) => stopsAt({ seed, ...traffic }) !== null).length;

test('a rollout of a worse version stops soon', () => {
  const ends = SEEDS.slice(0, 20).map((seed) =>
    stopsAt({ seed, share: 0.5, endUsers: 1_000, base: () => 0.1, version: () => 0.4 }),
  );
  expect(ends).not.toContain(null);
  expect(ends.toSorted((a, b) => a! - b!)[10]).toBeLessThan(200);
});

test('at most 5 % of 200 equal versions are stopped, even with a check after every end user', () => {
  const equal = { share: 0.5, endUsers: 1_000, base: () => 0.3, version: () => 0.3 };
  expect(stopped(equal)).toBeLessThanOrEqual(SEEDS.length * 0.05);
});

test('an equal version is not stopped when problems become more frequent for both versions', () => {
  const worsening = (n: number): number => 0.1 + (0.6 * n) / 1_000;
  const equal = { share: 0.2, endUsers: 1_000, base: worsening, version: worsening };
  expect(stopped(equal)).toBeLessThanOrEqual(SEEDS.length * 0.05);
});

test('a version may be worse within the limit', () => {
  const limit = { worse_by: 0.1, confidence: 0.95 };
  const allowed = { share: 0.5, endUsers: 1_000, base: () => 0.3, version: () => 0.4, limit };
  expect(stopped(allowed)).toBeLessThanOrEqual(SEEDS.length * 0.05);
});

test('the limit is compared with the lower bound of the interval', () => {
  const [tried, old] = [
    { n: 80, hits: 40 },
    { n: 120, hits: 24 },
  ];
  const { low } = estimateDifference(tried, old, 0.95)!;
  expect(isWorse(tried, old, { worse_by: low - 1e-6, confidence: 0.95 })).toBe(true);
  expect(isWorse(tried, old, { worse_by: low + 1e-6, confidence: 0.95 })).toBe(false);
});

test('the interval of a proportion contains the true proportion at every check, in 95 % of cases', () => {
  const misses = SEEDS.filter((seed) => {
    const random = randomOf(seed);
    const tally = { n: 0, hits: 0 };
    for (let n = 1; n <= 300; n++) {
      tally.n += 1;
      tally.hits += random() < 0.2 ? 1 : 0;
      const { low, high } = estimatePart(tally, 0.95)!;
      if (low > 0.2 || high < 0.2) return true;
    }
    return false;
  });
  expect(misses.length).toBeLessThanOrEqual(SEEDS.length * 0.05);
});

test('intervals contain their estimate, stay in the possible range, and become narrower with more data', () => {
  const width = (n: number): number => {
    const part = estimatePart({ n, hits: n / 4 }, 0.95)!;
    expect(part.low).toBeLessThan(0.25);
    expect(part.high).toBeGreaterThan(0.25);
    return part.high - part.low;
  };
  expect(width(400)).toBeLessThan(width(40) / 2);
  expect(estimatePart({ n: 10, hits: 0 }, 0.95)).toMatchObject({ value: 0, low: 0 });
  expect(estimatePart({ n: 10, hits: 10 }, 0.95)).toMatchObject({ value: 1, high: 1 });
  expect(estimatePart({ n: 0, hits: 0 }, 0.95)).toBeNull();
  const all = estimateDifference({ n: 50, hits: 50 }, { n: 50, hits: 0 }, 0.95)!;
  expect(all).toMatchObject({ value: 1, high: 1 });
  expect(all.low).toBeGreaterThan(0.5);
  expect(estimateDifference({ n: 50, hits: 0 }, { n: 50, hits: 50 }, 0.95)!.low).toBe(-1);
});

test('the interval of an average needs two values, and becomes narrower with more', () => {
  expect(estimateAverage({ n: 1, average: 2, deviation: 0 }, 0.95)).toBeNull();
  const few = estimateAverage({ n: 20, average: 2, deviation: 1 }, 0.95)!;
  const many = estimateAverage({ n: 2_000, average: 2, deviation: 1 }, 0.95)!;
  expect(few.low).toBeGreaterThan(0);
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 5);
});
