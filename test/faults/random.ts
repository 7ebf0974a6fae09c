/** Reproducible random numbers: the same seed gives the same run (mulberry32; Tommy Ettinger, public domain). */
export type Random = {
  /** Returns a number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  /** Returns a separate generator for a part of the run, so that more draws in one part do not change other parts. */
  branch(name: string): Random;
};

export function createRandom(seed: string): Random {
  let state = Buffer.from(seed).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)]!,
    shuffle: (list) => {
      const copy = [...list];
      for (let at = copy.length - 1; at > 0; at--) {
        const other = between(0, at);
        [copy[at], copy[other]] = [copy[other]!, copy[at]!];
      }
      return copy;
    },
    branch: (name) => createRandom(`${seed}/${name}`),
  };
}
