/**
 * Natural batching: items that arrive together are sent together. A batch is sent when a lane is free, so a single item
 * does not wait, and under load batches grow to the size that the other side can handle. There is no timer.
 */
export type Batcher<In, Out> = {
  /** Resolves with this item's own outcome. Rejects with `full()` when the queue is full. */
  add(item: In): Promise<Out>;
  /** Resolves when every added item has its outcome. Nothing may be added afterwards. */
  drain(): Promise<void>;
  /** Items that wait or are in progress. */
  load(): number;
};

export type BatcherOptions<In, Out> = {
  /** Maximum items in one batch. */
  size: number;
  /** Maximum batches in progress at the same time. */
  lanes: number;
  /** Maximum items that wait. */
  queue: number;
  /** Must return one outcome per item, in the same order. A rejection rejects every item of the batch. */
  send(items: In[]): Promise<(Out | Error)[]>;
  /** The error for an item when the queue is full or closed. */
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

  // With setImmediate, the batch contains everything that one turn of the event loop reads from its sockets.
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
