/**
 * Natural batching: work that arrives together leaves together. A batch leaves as soon as a lane is free, so a call
 * that comes alone is not held back, and under load batches grow by themselves to what the other side can take.
 * No timer decides anything.
 */
export type Batcher<In, Out> = {
  /** Resolves with this item's own outcome; rejects with `full()` when the queue is at its bound. */
  add(item: In): Promise<Out>;
  /** Resolves when all that was added has left and returned. Nothing may be added afterwards. */
  drain(): Promise<void>;
  /** Items that wait or are under way. */
  load(): number;
};

export type BatcherOptions<In, Out> = {
  /** Items of one batch at most. */
  size: number;
  /** Batches under way at once at most. */
  lanes: number;
  /** Items that may wait at most. */
  queue: number;
  /** Must return one outcome per item, in the same order; a rejection is handed to every item of the batch. */
  send(items: In[]): Promise<(Out | Error)[]>;
  /** The error of an item that finds the queue full or closed. */
  full(): Error;
};

type Waiting<In, Out> = { item: In; resolve(outcome: Out): void; reject(error: Error): void };

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  let queue: Waiting<In, Out>[] = [];
  let busy = 0;
  let underWay = 0;
  let scheduled = false;
  let drained: (() => void) | null = null;
  let closed = false;

  // Leaving on setImmediate gathers everything that one turn of the event loop has read from its sockets.
  const schedule = () => {
    if (scheduled || busy >= options.lanes || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      leave();
    });
  };

  const leave = () => {
    if (queue.length === 0 || busy >= options.lanes) return;
    const batch = queue.length <= options.size ? queue : queue.slice(0, options.size);
    queue = batch === queue ? [] : queue.slice(options.size);
    busy++;
    underWay += batch.length;
    void settle(batch).finally(() => {
      busy--;
      underWay -= batch.length;
      if (queue.length > 0) schedule();
      else if (busy === 0) drained?.();
    });
    schedule();
  };

  const settle = async (batch: Waiting<In, Out>[]) => {
    try {
      const outcomes = await options.send(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, index) => {
        const outcome = outcomes[index];
        if (outcome instanceof Error) waiting.reject(outcome);
        else waiting.resolve(outcome as Out);
      });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error as Error);
    }
  };

  return {
    add: (item) =>
      new Promise<Out>((resolve, reject) => {
        if (closed || queue.length >= options.queue) return reject(options.full());
        queue.push({ item, resolve, reject });
        schedule();
      }),
    drain: async () => {
      closed = true;
      if (busy === 0 && queue.length === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
    load: () => queue.length + underWay,
  };
}
