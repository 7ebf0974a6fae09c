/**
 * `text` is appended to the shown text, or replaces the shown text with `replaces`. An empty text removes the shown
 * text. `isStored`: the message of the turn is stored, so a reader can read the message.
 */
export type DeltaChange = { turn: string; text: string; replaces: boolean; isStored: boolean };

/** A process receives deltas for this long after its last reader left, because the reader may return. */
const LINGER_MS = 10_000;
/**
 * If deltas do not change for this long, their worker has died. A model call never takes this long without an answer.
 */
const STALE_MS = 45_000;

type Shown = { turn: string; text: string; at: number };
type Watched = { listeners: Set<(change: DeltaChange) => void>; shown: Shown | null; leaving: NodeJS.Timeout | null };

export type WatchedTopics = ReturnType<typeof createWatchedTopics>;

/** The topics with readers in this process, and the text that these readers see. */
export function createWatchedTopics({
  onFirst,
  onLast,
}: {
  /** This function is called when a topic gets its first reader. */
  onFirst(topic: string): void;
  /** This function is called when a topic has had no reader for a while. */
  onLast(topic: string): void;
}) {
  const watched = new Map<string, Watched>();

  /** Returns false if earlier deltas are missing. */
  function show(topic: string, turn: string, at: number, text: string): boolean {
    const here = watched.get(topic);
    if (!here) return true;
    const { shown } = here;
    const isNext = shown?.turn === turn && at === shown.text.length;
    if (at > 0 && !isNext) return shown?.turn !== turn && shown !== null;
    const replaces = at === 0;
    here.shown = { turn, text: replaces ? text : shown!.text + text, at: performance.now() };
    if (replaces && text === '' && !shown?.text) return true;
    for (const listener of here.listeners) {
      listener({ turn, text, replaces: replaces && Boolean(shown?.text), isStored: false });
    }
    return true;
  }

  function close({ topic, turn, stored }: { topic: string; turn: string; stored: boolean }): void {
    const here = watched.get(topic);
    if (here?.shown?.turn !== turn) return;
    if (!stored) show(topic, turn, 0, '');
    else for (const listener of here.listeners) listener({ turn, text: '', replaces: true, isStored: true });
    here.shown = null;
  }

  return {
    show,
    close,
    has: (topic: string): boolean => watched.has(topic),
    topics: (): string[] => [...watched.keys()],
    follow(topic: string, onChange: (change: DeltaChange) => void): () => void {
      const known = watched.get(topic);
      const here: Watched = known ?? { listeners: new Set(), shown: null, leaving: null };
      if (here.leaving) clearTimeout(here.leaving);
      here.leaving = null;
      here.listeners.add(onChange);
      if (!known) {
        watched.set(topic, here);
        onFirst(topic);
      } else if (here.shown?.text) {
        onChange({ turn: here.shown.turn, text: here.shown.text, replaces: true, isStored: false });
      }
      const leave = (): void => {
        watched.delete(topic);
        onLast(topic);
      };
      return () => {
        if (!here.listeners.delete(onChange) || here.listeners.size > 0) return;
        here.leaving = setTimeout(leave, LINGER_MS).unref();
      };
    },
    /** Removes the text of turns that no worker continues. */
    closeStale(): void {
      const old = performance.now() - STALE_MS;
      for (const [topic, { shown }] of watched) {
        if (shown && shown.at < old) close({ topic, turn: shown.turn, stored: false });
      }
    },
    clear(): void {
      for (const { leaving } of watched.values()) if (leaving) clearTimeout(leaving);
      watched.clear();
    },
  };
}
