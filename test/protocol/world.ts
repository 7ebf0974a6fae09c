/**
 * A world has virtual time, in which events happen in the order of their times. After each event, all promises that the
 * event resolved run until they wait again. The same seed gives the same run of the world.
 */
export type World = {
  now(): number;
  at(moment: number, event: () => void): void;
  /** Runs every event up to `end`, including new events of these events. */
  run(end: number): Promise<void>;
  random(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
};

type Event = { moment: number; order: number; run: () => void };

export function createWorld(seed: number): World {
  const random = mulberry32(seed);
  const heap: Event[] = [];
  let now = 0;
  let order = 0;

  const push = (event: Event): void => {
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  };

  const pop = (): Event | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  };

  const between = (low: number, high: number): number => low + random() * (high - low);
  return {
    now: () => now,
    at: (moment, run) => push({ moment: Math.max(moment, now), order: order++, run }),
    run: async (end) => {
      while (heap.length > 0 && heap[0]!.moment <= end) {
        const event = pop()!;
        now = event.moment;
        event.run();
        await promisesSettled();
      }
      now = end;
    },
    random,
    between,
    chance: (probability) => random() < probability,
  };
}

const isBefore = (a: Event, b: Event): boolean => a.moment < b.moment || (a.moment === b.moment && a.order < b.order);

const promisesSettled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A small random generator of known quality (Tommy Ettinger, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
