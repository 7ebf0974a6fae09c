import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Changed, Topic } from '../../../contract/dashboard/changes.ts';
import { addressOf } from './client.ts';

/**
 * Told of changes by the server, over one stream for the whole window, whatever its parts follow. An event names topics;
 * its subscribers read again. While no stream is open the reads poll, so nothing here can make a page wrong, only
 * slow. A hidden window has no stream: browsers open few connections to one host, and they are for the others.
 */
export type LiveState =
  /** Not known yet. */
  | 'opening'
  | 'live'
  /** It was live a moment ago. */
  | 'reconnecting'
  /** There is no stream; tried again now and then. */
  | 'polling';

type Follower = { orgId: string; topic: Topic; refresh: () => Promise<unknown>; busy: boolean; again: boolean };

/** Topics of one stream; the server takes no more. What is left out polls. */
const MAX_TOPICS = 8;
/** A page that opens follows several topics one after the other: one stream for them. */
const SETTLE_MS = 30;
/** Reads of one follower are this far apart at least, however fast things change. */
const GAP_MS = 400;
/** A read that failed is repeated after this time: without it the page would show the old state until its next check. */
const REPEAT_MS = 2_000;
/** The server beats every 15 s: silence for longer is a connection that is gone without a word. */
const SILENCE_MS = 35_000;
/** A window that is hidden for a moment keeps its stream. */
const HIDDEN_MS = 5_000;
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;

const followers = new Set<Follower>();
const listeners = new Set<() => void>();
let state: LiveState = 'opening';
let source: EventSource | null = null;
let address = '';
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
 * Calls `refresh` whenever the topic may have changed, and again after it rejects. Without a topic it does nothing.
 */
export function useFollow(orgId: string | undefined, topic: Topic | undefined, refresh: () => Promise<unknown>): void {
  const newest = useRef(refresh);
  newest.current = refresh;
  useEffect(() => (orgId && topic ? follow(orgId, topic, () => newest.current()) : undefined), [orgId, topic]);
}

function follow(orgId: string, topic: Topic, refresh: () => Promise<unknown>): () => void {
  const follower: Follower = { orgId, topic, refresh, busy: false, again: false };
  followers.add(follower);
  settleIn(SETTLE_MS);
  return () => {
    followers.delete(follower);
    settleIn(SETTLE_MS);
  };
}

function settleIn(ms: number): void {
  clearTimeout(settling);
  settling = setTimeout(settle, ms);
}

/** Makes the stream the one that is wanted now. */
function settle(): void {
  const wanted = document.visibilityState === 'hidden' ? '' : wantedAddress();
  if (wanted === address && (source !== null || wanted === '')) return;
  close();
  address = wanted;
  if (wanted !== '') open();
}

function wantedAddress(): string {
  const org_id = [...followers].at(-1)?.orgId;
  if (org_id === undefined) return '';
  const topics = new Set([...followers].filter(({ orgId }) => orgId === org_id).map(({ topic }) => topic));
  const query = { topics: [...topics].slice(0, MAX_TOPICS).toSorted().join(',') };
  return addressOf('watchChanges', { params: { org_id }, query });
}

function open(): void {
  const opened = new EventSource(address);
  source = opened;
  heard();
  opened.addEventListener('changed', (event) => {
    heard();
    failures = 0;
    become('live');
    const { topics } = JSON.parse((event as MessageEvent<string>).data) as Changed;
    for (const follower of followers) if (topics.includes(follower.topic)) run(follower);
  });
  opened.addEventListener('beat', heard);
  opened.addEventListener('error', () => {
    failures++;
    // The browser itself tries again after a connection that broke, and gives up after a refusal.
    if (opened.readyState === EventSource.CLOSED) retry();
    else become(failures > 1 ? 'polling' : 'reconnecting');
  });
}

function close(): void {
  source?.close();
  source = null;
  clearTimeout(watchdog);
}

/** After a refusal, or silence: later, and ever later. */
function retry(): void {
  close();
  become(state === 'live' ? 'reconnecting' : 'polling');
  const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1));
  settleIn(wait * (0.5 + Math.random()));
}

function heard(): void {
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
    if (!follower.again || !followers.has(follower)) return;
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

document.addEventListener('visibilitychange', () => settleIn(document.visibilityState === 'hidden' ? HIDDEN_MS : 0));
window.addEventListener('online', () => settleIn(0));
window.addEventListener('offline', () => {
  if (source === null) return;
  failures++;
  retry();
});
