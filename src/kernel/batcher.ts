/**
 * Natural batching: items that arrive together are sent together. A batch is sent when fewer than the maximum number of
 * batches are in progress, so a single item does not wait, and under load batches grow to the size that the other side
 * can handle. The batcher has no timer.
 *
 * Each batch has a fixed cost. So while another batch is in progress, the next one waits as long as each turn of the
 * event loop brings more items. Otherwise the first items of a burst would be sent in a small batch.
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
  batchesAtOnce: number;
  /** Maximum items that wait. */
  queue: number;
  /** Must return one outcome per item, in the same order. A rejection rejects every item of the batch. */
  send(items: In[]): Promise<(Out | Error)[]>;
  /** The error for an item when the queue is full or closed. */
  full(): Error;
};

/** Maximum turns of the event loop for which a growing batch waits. */
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
    // The other side works on the next batch while this process handles the outcomes.
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
