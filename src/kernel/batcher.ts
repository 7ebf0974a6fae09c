/**
 * Sends items together that arrive together (natural batching). A batch is sent when fewer than the maximum number of
 * batches are in progress. A single item does not wait, and under load batches grow to the size that the receiver can
 * handle. The batcher has no timer.
 *
 * Each batch has a fixed cost. While another batch is in progress, the next batch waits as long as each turn of the
 * event loop brings more items. Without the wait for a turn of the event loop, the first items of a burst would be sent
 * in a small batch.
 */
export type Batcher<In, Out> = {
  /** The promise resolves with the outcome of this item. The promise rejects with `full()` if the queue is full. */
  add(item: In): Promise<Out>;
  /** The promise resolves when every added item has its outcome. Add no item after this call. */
  drain(): Promise<void>;
  /** The number of items that wait or are in progress. */
  load(): number;
};

export type BatcherOptions<In, Out> = {
  /** One batch has at most this many items. */
  size: number;
  /** At most this many batches are in progress at the same time. */
  batchesAtOnce: number;
  /** At most this many items wait. */
  queue: number;
  /**
   * The function must return one outcome per item, in the order of the items. A rejection rejects every item of the
   * batch.
   */
  send(items: In[]): Promise<(Out | Error)[]>;
  /** Creates the error for an item if the queue is full or closed. */
  full(): Error;
};

/** A growing batch waits for at most this many turns of the event loop. */
const MAX_TURNS = 10;

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
    if (scheduled || busy >= options.batchesAtOnce || queue.length === 0) return;
    scheduled = true;
    grow(0, 0);
  };

  const grow = (turns: number, before: number) => {
    const length = queue.length;
    const isGrowing = turns === 0 || (busy > 0 && length > before && length < options.size && turns < MAX_TURNS);
    if (isGrowing) return setImmediate(grow, turns + 1, turns === 0 ? 0 : length);
    scheduled = false;
    leave();
  };

  const leave = () => {
    if (queue.length === 0 || busy >= options.batchesAtOnce) return;
    const batch = queue.length <= options.size ? queue : queue.slice(0, options.size);
    queue = batch === queue ? [] : queue.slice(options.size);
    busy++;
    underWay += batch.length;
    void send(batch);
    schedule();
  };

  const send = async (batch: Waiting<In, Out>[]) => {
    let outcomes: (Out | Error)[] | Error;
    try {
      outcomes = await options.send(batch.map((waiting) => waiting.item));
    } catch (error) {
      outcomes = error as Error;
    }
    busy--;
    underWay -= batch.length;
    // The receiver works on the next batch while this process handles the outcomes.
    if (busy === 0) leave();
    else schedule();
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes instanceof Error ? outcomes : outcomes[index];
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome as Out);
    });
    if (busy === 0 && queue.length === 0) drained?.();
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
