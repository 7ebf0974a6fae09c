/**
 * Items that wait for their time, earliest first, and in the order of arrival for equal times. The queue is a binary
 * heap.
 */
export type Waiting<T> = { at: number; order: number; item: T };

export type DueQueue<T> = {
  add(at: number, item: T): void;
  /** Removes and returns the items that are due at a time, at most `limit`. */
  take(until: number, limit: number): Waiting<T>[];
  /** Puts removed items back to their place in the order. */
  putBack(waiting: Waiting<T>): void;
  /** The time of the first item. Null: no item waits. */
  next(): number | null;
};

export function createDueQueue<T>(): DueQueue<T> {
  const heap: Waiting<T>[] = [];
  let added = 0;
  const isBefore = (one: Waiting<T>, other: Waiting<T>): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  const putBack = (waiting: Waiting<T>): void => {
    let at = heap.push(waiting) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(waiting, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = waiting;
  };

  const takeFirst = (): Waiting<T> => {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  };

  return {
    add: (at, item) => putBack({ at, order: added++, item }),
    take: (until, limit) => {
      const taken: Waiting<T>[] = [];
      while (taken.length < limit && heap.length > 0 && heap[0]!.at <= until) taken.push(takeFirst());
      return taken;
    },
    putBack,
    next: () => heap[0]?.at ?? null,
  };
}
