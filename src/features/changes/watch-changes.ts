import { setTimeout as pause } from 'node:timers/promises';
import type { Topic, TopicKind } from '../../../contract/dashboard/changes.ts';
import type { Db } from '../../store/db.ts';
import { readFingerprints, type Watched } from '../../store/organizations/fingerprints.ts';
import { writeAttendance } from '../../store/hand-offs/rules.ts';
import { areSessionsValid, type OpenSession } from '../../store/accounts/valid-sessions.ts';

/**
 * The watch notifies pages of changes. One loop per process checks all watched topics, however many pages watch them.
 * The loop runs one query for each kind of topic every POLL_MS and finds changes of any node. Without watchers, the
 * watch does nothing. Code of this process that makes a change may call `look`, so that the change is found
 * immediately.
 *
 * The position of a stream consists of the fingerprints of its topics. This position needs no server state, so a page
 * that lost its stream continues at any node and gets the changes after the position.
 */
export type ChangeWatch = {
  /**
   * Returns a function that ends the watch. If the watcher lost the permission, or the database cannot be read, `onEnd`
   * is called instead.
   */
  watch(watcher: Watcher): () => void;
  look(): void;
  stop(): void;
};

export type Watcher = OpenSession & {
  topics: readonly Topic[];
  /** The position of the last event that reached the page. Null: the page has received no event yet. */
  position: string | null;
  /**
   * The first call follows the first check of the topics. The call contains the changes since `position`, even if
   * there are none.
   */
  onChange(topics: Topic[], position: string): void;
  onEnd(): void;
};

export const POLL_MS = 300;
/** Minimum time between requested checks. */
const GAP_MS = 60;
/** A person whose session was ended, or who was removed, may still receive hints about changes for this time. */
const STANDING_MS = 1_000;
/**
 * A member with a visible page, which has a stream, is recorded as present at this interval. The interval is much
 * shorter than ATTENDING_SECONDS.
 */
const ATTENDING_MS = 60_000;
/** After this time without the database, all streams end. The pages of ended streams poll and show the fault. */
const BLIND_MS = 3_000;

type Seen = { known: string | null };

export function createChangeWatch(db: Db): ChangeWatch {
  const watchers = new Map<Watcher, Seen>();
  let ringing = Promise.withResolvers<void>();
  const attend = createAttendance(db);
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
        // If a check failed, the next check also finds the change.
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
    const found = new Map(
      [...wanted.keys()].map((name, index) => [name, prints[index] === undefined ? undefined : shorten(prints[index])]),
    );
    for (const [watcher, seen] of looking) {
      const { orgId, topics, position } = watcher;
      // The watcher left while the query was running.
      if (!watchers.has(watcher)) continue;
      const now = topics.map((topic) => found.get(`${orgId} ${topic}`));
      // A fingerprint is missing if the cell of the organization does not answer.
      if (now.includes(undefined)) continue;
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
    const holds = await areSessionsValid(db, standing);
    for (const [index, watcher] of standing.entries()) if (!holds[index]) end(watcher);
    await attend(standing.filter((_, index) => holds[index]));
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

/** Records present members, each member once in ATTENDING_MS. */
function createAttendance(db: Db): (present: readonly Watcher[]) => Promise<void> {
  const attended = new Map<string, number>();
  return async (present) => {
    const now = performance.now();
    for (const [name, at] of attended) if (now - at >= ATTENDING_MS) attended.delete(name);
    const fresh = present.filter(({ orgId, userId }) => !attended.has(`${orgId} ${userId}`));
    if (fresh.length === 0) return;
    // A failure does not end the stream, because the next check tries again.
    const isNoted = await writeAttendance(db, fresh).then(
      () => true,
      () => false,
    );
    if (isNoted) for (const { orgId, userId } of fresh) attended.set(`${orgId} ${userId}`, now);
  };
}

function partsOf(topic: Topic): { kind: TopicKind; id: string } {
  const [kind, id = ''] = topic.split(':') as [TopicKind, string?];
  return { kind, id };
}

/** The 48 bits distinguish the states of one topic and keep the position short. */
const shorten = (print: string | null): string => print?.slice(0, 12) ?? '-';
