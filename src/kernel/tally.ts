/** Counts work in progress by key, for limits. A key whose count is zero uses no memory. */
export type Tally<Key> = {
  /** A live view, which always shows the current counts. */
  counts: ReadonlyMap<Key, number>;
  of(key: Key): number;
  add(key: Key): void;
  remove(key: Key): void;
};

export function createTally<Key>(): Tally<Key> {
  const counts = new Map<Key, number>();
  const of = (key: Key): number => counts.get(key) ?? 0;
  return {
    counts,
    of,
    add: (key) => void counts.set(key, of(key) + 1),
    remove: (key) => {
      if (of(key) > 1) counts.set(key, of(key) - 1);
      else counts.delete(key);
    },
  };
}
