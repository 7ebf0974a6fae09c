import { setTimeout as pause } from 'node:timers/promises';
import type { Topic, TopicKind } from '../../../contract/dashboard/changes.ts';
import type { Db } from '../../store/db.ts';
import { readFingerprints, type Watched } from '../../store/organizations/fingerprints.ts';
import { readStanding, type Standing } from '../../store/accounts/standing.ts';

/**
 * Tells pages that something changed. One loop a process looks at everything that is watched, however many pages watch
 * it: a query for each kind of topic every POLL_MS, whoever made the change and on whatever node. With nobody watching
 * it does nothing. Whoever changes things in this process may `look`, so that it is seen at once.
 *
 * The position of a stream is the fingerprints of its topics; it stands for itself, so a page that lost its stream goes
 * on at any node and is told what changed meanwhile.
 */
export type ChangeWatch = {
  /** Returns how to stop. `onEnd` is called instead if the watcher may no longer watch, or nothing can be seen. */
  watch(watcher: Watcher): () => void;
  look(): void;
  stop(): void;
};

export type Watcher = Standing & {
  topics: readonly Topic[];
  /** Of the last event that reached the page; null: everything is new to it. */
  position: string | null;
  /** First as soon as the topics have been looked at once, with whatever changed since `position`, even if nothing. */
  onChange(topics: Topic[], position: string): void;
  onEnd(): void;
};

export const POLL_MS = 300;
/** Looks that are asked for are this far apart at least. */
const GAP_MS = 60;
/** How long somebody whose session was ended or who was removed may still be told that something changed. */
const STANDING_MS = 1_000;
/** When the database was not seen for so long, streams end: their pages then poll, and say what is wrong. */
const BLIND_MS = 3_000;

type Seen = { known: string | null };

export function createChangeWatch(db: Db): ChangeWatch {
  const watchers = new Map<Watcher, Seen>();
  let ringing = Promise.withResolvers<void>();
  let running: Promise<void> | null = null;
  let stopped = false;

  async function run(): Promise<void> {
    let seenAt = performance.now();
    let stoodAt = 0;
    while (watchers.size > 0 && !stopped) {
      ringing = Promise.withResolvers();
      try {
        if (performance.now() - stoodAt >= STANDING_MS) {
          await dismiss();
          stoodAt = performance.now();
        }
        await tell();
        seenAt = performance.now();
      } catch {
        // Not seen this time; the next look sees it as well.
        if (performance.now() - seenAt > BLIND_MS) for (const watcher of watchers.keys()) end(watcher);
      }
      await pause(GAP_MS);
      const waiting = new AbortController();
      await Promise.race([ringing.promise, pause(POLL_MS - GAP_MS, undefined, { signal: waiting.signal })]).catch(
        () => {},
      );
      waiting.abort();
    }
    running = null;
  }

  async function tell(): Promise<void> {
    const looking = [...watchers];
    const wanted = new Map<string, Watched>();
    for (const [{ orgId, topics }] of looking)
      for (const topic of topics) wanted.set(`${orgId} ${topic}`, { orgId, ...partsOf(topic) });
    const prints = await readFingerprints(db, [...wanted.values()]);
    const found = new Map([...wanted.keys()].map((name, index) => [name, shorten(prints[index]!)]));
    for (const [watcher, seen] of looking) {
      const { orgId, topics, position } = watcher;
      // Gone while the database was asked.
      if (!watchers.has(watcher)) continue;
      const now = topics.map((topic) => found.get(`${orgId} ${topic}`)!);
      const next = now.join('.');
      if (next === seen.known) continue;
      const before = (seen.known ?? position ?? '').split('.');
      seen.known = next;
      watcher.onChange(
        topics.filter((_, index) => now[index] !== before[index]),
        next,
      );
    }
  }

  async function dismiss(): Promise<void> {
    const standing = [...watchers.keys()];
    const holds = await readStanding(db, standing);
    for (const [index, watcher] of standing.entries()) if (!holds[index]) end(watcher);
  }

  function end(watcher: Watcher): void {
    if (watchers.delete(watcher)) watcher.onEnd();
  }

  const look = (): void => ringing.resolve();

  return {
    watch: (watcher) => {
      watchers.set(watcher, { known: null });
      running ??= run();
      look();
      return () => watchers.delete(watcher);
    },
    look,
    stop: () => {
      stopped = true;
      for (const watcher of watchers.keys()) end(watcher);
      look();
    },
  };
}

function partsOf(topic: Topic): { kind: TopicKind; id: string } {
  const [kind, id = ''] = topic.split(':') as [TopicKind, string?];
  return { kind, id };
}

/** 48 bits tell two states of one topic apart, and the position stays short. */
const shorten = (print: string | null): string => print?.slice(0, 12) ?? '-';
