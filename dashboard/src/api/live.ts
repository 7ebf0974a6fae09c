import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Changed, Topic } from '../../../contract/dashboard/changes.ts';
import { addressOf } from './client.ts';

/**
 * The window receives change events from the server through one stream. An event names topics, and the subscribers of
 * these topics read their data again. While no stream is open, the subscribers poll. A failure of the stream makes a
 * page slower but never wrong. A hidden window closes its stream, because browsers allow few connections to one host.
 */
export type LiveState =
  /** The state of the connection is not known yet. */
  | 'opening'
  | 'live'
  /** The stream was interrupted, but was open a moment ago. */
  | 'reconnecting'
  /** No stream is open, and the connection is tried again from time to time. */
  | 'polling';

type Follower = {
  orgId: string;
  topic: Topic;
  refresh: () => Promise<unknown>;
  /** The number of components that show this data. */
  readers: number;
  busy: boolean;
  again: boolean;
};

/** A stream has at most this many topics, because the server accepts no more. Subscribers of further topics poll. */
const MAX_TOPICS = 8;
/**
 * A page subscribes to several topics in a row when it opens. With this delay, all topics of a page share one stream.
 */
const OPEN_AFTER_MS = 30;
/** The minimum pause between two reads of one subscriber, even with frequent changes. */
const GAP_MS = 400;
/**
 * A failed read is repeated after this time, because the page would otherwise show the old state until its next check.
 */
const REPEAT_MS = 2_000;
/** The server sends a heartbeat every 15 s. A longer silence means that the connection is lost. */
const SILENCE_MS = 35_000;
/** A window that is hidden for less than this time keeps its stream. */
const HIDDEN_MS = 5_000;
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;

/** One entry for each read that follows changes. A list whose rows all show the same data reads it once. */
const followers = new Map<string, Follower>();
const listeners = new Set<() => void>();
let state: LiveState = 'opening';
let source: EventSource | null = null;
let address = '';
/** The topics of the stream, and its last position. */
let watched: readonly string[] = [];
let position = '';
let failures = 0;
let settling: ReturnType<typeof setTimeout> | undefined;
let watchdog: ReturnType<typeof setTimeout> | undefined;

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

/**
 * Calls `refresh` whenever the topic may have changed, and again if `refresh` rejects. Without a topic, the function
 * does nothing. `read` identifies the data, so that components with the same data share one call. `expire` is called
 * first if no component followed the data, because earlier changes may not have reached the cache.
 */
export function useFollow(
  orgId: string | undefined,
  topic: Topic | undefined,
  read: string,
  { refresh, expire }: { refresh: () => Promise<unknown>; expire: () => unknown },
): void {
  const newest = useRef({ refresh, expire });
  newest.current = { refresh, expire };
  useEffect(() => {
    if (!orgId || !topic) return;
    if (!followers.has(keyOf(topic, read))) newest.current.expire();
    return follow(orgId, topic, read, () => newest.current.refresh());
  }, [orgId, topic, read]);
}

const keyOf = (topic: Topic, read: string): string => `${topic} ${read}`;

function follow(orgId: string, topic: Topic, read: string, refresh: () => Promise<unknown>): () => void {
  const key = keyOf(topic, read);
  const follower = followers.get(key) ?? { orgId, topic, refresh, readers: 0, busy: false, again: false };
  follower.readers++;
  followers.set(key, follower);
  openIn(OPEN_AFTER_MS);
  return () => {
    if (--follower.readers === 0) followers.delete(key);
    openIn(OPEN_AFTER_MS);
  };
}

function openIn(ms: number): void {
  clearTimeout(settling);
  settling = setTimeout(settle, ms);
}

/** Opens the stream with the topics that components currently follow. */
function settle(): void {
  const { org_id, topics } = document.visibilityState === 'hidden' ? NOTHING : wanted();
  const next =
    org_id === undefined ? '' : addressOf('watchChanges', { params: { org_id }, query: { topics: topics.join(',') } });
  if (next === address && (source !== null || next === '')) return;
  // Without a working stream, all data is read again.
  const since = source !== null && state === 'live' ? sinceIn(topics) : undefined;
  close();
  address = next;
  watched = topics;
  position = '';
  if (next !== '') open(since);
}

type Wanted = { org_id: string | undefined; topics: readonly Topic[] };
const NOTHING: Wanted = { org_id: undefined, topics: [] };

function wanted(): Wanted {
  const all = [...followers.values()];
  const org_id = all.at(-1)?.orgId;
  const topics = new Set(all.filter(({ orgId }) => orgId === org_id).map(({ topic }) => topic));
  return { org_id, topics: [...topics].slice(0, MAX_TOPICS).toSorted() };
}

/**
 * Returns the position for a stream with the given topics. The cursor has a part for each topic, in the order of the
 * topics. A new topic has no position, so the server reports it as changed. Without separate positions, a page that
 * adds a topic would read all of its data again.
 */
function sinceIn(topics: readonly string[]): string | undefined {
  const parts = position.split('.');
  if (position === '' || parts.length !== watched.length) return undefined;
  const known = new Map(watched.map((topic, index) => [topic, parts[index]!]));
  return topics.map((topic) => known.get(topic) ?? 'new').join('.');
}

function open(since?: string): void {
  const opened = new EventSource(since === undefined ? address : `${address}&since=${since}`);
  source = opened;
  restartWatchdog();
  opened.addEventListener('changed', (event) => {
    restartWatchdog();
    failures = 0;
    become('live');
    const { data, lastEventId } = event as MessageEvent<string>;
    const { topics } = JSON.parse(data) as Changed;
    position = lastEventId;
    for (const follower of followers.values()) if (topics.includes(follower.topic)) run(follower);
  });
  opened.addEventListener('beat', restartWatchdog);
  opened.addEventListener('error', () => {
    failures++;
    // The browser reconnects after a broken connection, and stops after a refusal.
    if (opened.readyState === EventSource.CLOSED) retry();
    else become(failures > 1 ? 'polling' : 'reconnecting');
  });
}

function close(): void {
  source?.close();
  source = null;
  clearTimeout(watchdog);
}

/** After a refusal or a silence, the stream is tried again with growing pauses. */
function retry(): void {
  close();
  become(state === 'live' ? 'reconnecting' : 'polling');
  const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1));
  openIn(wait * (0.5 + Math.random()));
}

function restartWatchdog(): void {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => {
    failures++;
    retry();
  }, SILENCE_MS);
}

function become(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

function run(follower: Follower): void {
  if (follower.busy) {
    follower.again = true;
    return;
  }
  follower.busy = true;
  const next = (): void => {
    follower.busy = false;
    if (!follower.again || follower.readers === 0) return;
    follower.again = false;
    run(follower);
  };
  follower.refresh().then(
    () => setTimeout(next, GAP_MS),
    () => {
      follower.again = true;
      setTimeout(next, REPEAT_MS);
    },
  );
}

document.addEventListener('visibilitychange', () => openIn(document.visibilityState === 'hidden' ? HIDDEN_MS : 0));
window.addEventListener('online', () => openIn(0));
window.addEventListener('offline', () => {
  if (source === null) return;
  failures++;
  retry();
});
