/** Counts per key, for limits on work in progress. A key with a count of zero uses no memory. */
export type Tally<Key> = {
  /** A live view of the counts. The view always shows the current numbers. */
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
