/**
 * A Map with at most `max` entries. When the map is full, a pointer moves around the entries (CLOCK algorithm). An
 * entry that was read since the pointer last passed stays for another round. The pointer evicts the first entry that
 * was not read since its last pass. A read sets one flag, where an LRU would move the entry. The stored pointer is an
 * iterator, because a new iterator would visit all deleted places again.
 */
export type BoundedMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  size(): number;
};

type Slot<V> = { value: V; used: boolean };

/** One insertion examines at most this many entries, in case every entry was read recently. */
const LONGEST_SEARCH = 64;

/** Calls `onGone` for every removed or replaced value, but not on `clear`. */
export function createBoundedMap<V>(max: number, onGone: (key: string, value: V) => void): BoundedMap<V> {
  let slots = new Map<string, Slot<V>>();
  let hand = slots.entries();

  const remove = (key: string, slot: Slot<V>): void => {
    slots.delete(key);
    onGone(key, slot.value);
  };

  const makeRoom = (): void => {
    for (let step = 0; ; step++) {
      let next = hand.next();
      if (next.done) {
        hand = slots.entries();
        next = hand.next();
        if (next.done) return;
      }
      const [key, slot] = next.value;
      if (!slot.used || step >= LONGEST_SEARCH) return remove(key, slot);
      slot.used = false;
    }
  };

  return {
    get: (key) => {
      const slot = slots.get(key);
      if (slot === undefined) return undefined;
      slot.used = true;
      return slot.value;
    },
    set: (key, value) => {
      const former = slots.get(key);
      if (former) remove(key, former);
      else if (slots.size >= max) makeRoom();
      slots.set(key, { value, used: false });
    },
    delete: (key) => {
      const slot = slots.get(key);
      if (slot) remove(key, slot);
    },
    clear: () => {
      slots = new Map();
      hand = slots.entries();
    },
    size: () => slots.size,
  };
}
