/** A reported reader of a topic counts for this long without another report. */
const FORGET_MS = 60_000;
/** Maximum number of topics in the memory of a worker. */
const MAX_READ = 100_000;

export type TopicReaders = ReturnType<typeof createTopicReaders>;

/** The processes that have readers of each topic. */
export function createTopicReaders() {
  // The order is that of the last reports, so topics whose readers have gone are at the start.
  const readers = new Map<string, Map<string, number>>();
  /** Expected readers that have not reported yet, because their processes may not listen yet. */
  const unheard = new Set<string>();

  function forget(topic: string, reader: string): void {
    const nodes = readers.get(topic);
    if (nodes?.delete(reader) && nodes.size === 0) readers.delete(topic);
  }

  function of(topic: string): string[] {
    const now = performance.now();
    for (const [reader, until] of readers.get(topic) ?? []) if (until < now) forget(topic, reader);
    return [...(readers.get(topic)?.keys() ?? [])];
  }

  /** A process that has ended does not report that its readers have gone. */
  function forgetGone(): void {
    for (const topic of readers.keys()) if (of(topic).length > 0) return;
  }

  return {
    of,
    /** Returns true for a new reader, which must get the earlier deltas. */
    note(topic: string, reader: string): boolean {
      forgetGone();
      if (readers.size >= MAX_READ && !readers.has(topic)) return false;
      const nodes = readers.get(topic) ?? new Map<string, number>();
      const isNew = !nodes.has(reader) || unheard.delete(`${topic} ${reader}`);
      readers.delete(topic);
      readers.set(topic, nodes.set(reader, performance.now() + FORGET_MS));
      return isNew;
    },
    forget,
    /** Until the caller calls the returned function, the reader counts as new when it reports. */
    expect(topic: string, reader: string): () => void {
      const expected = `${topic} ${reader}`;
      unheard.add(expected);
      return () => void unheard.delete(expected);
    },
  };
}
