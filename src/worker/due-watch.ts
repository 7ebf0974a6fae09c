import type { Db } from '../store/db.ts';
import { type NextDue, readNextDue, type WatchedQueue } from '../store/queue/next-due.ts';
import type { WhenDue } from './look-loop.ts';

/**
 * Waits for due rows of all queues of a cell, for all loops that have no work. At every tick, the watch sends one
 * statement. The watch skips the statement while no row can have become due: this process alone accepts calls, it has
 * sent no other statement since the last look, and the first known row is not due yet. The watch needs no notification,
 * so no notification can be lost.
 */
export type DueWatch = (queue: WatchedQueue) => WhenDue;

export type DueWatchDeps = {
  db: Db;
  /** True if no other process accepts calls. */
  isAlone(): boolean;
};

/** A row that another process wrote waits at most this long. */
const TICK_MS = 200;
/** Two looks are at most this far apart, so that changes by other programs are found. */
const QUIET_MS = 1_000;
/** If a look takes longer, for example because one table is locked, the loops claim without its result. */
const LATE_MS = 1_000;

type Waiter = { queue: WatchedQueue; from: number; onDue: () => void };
/** `uses`: the use count of the pool after the look. Null: another statement ran at the same time. */
type Look = { sentAt: number; answeredAt: number; due: NextDue; uses: number | null };

export function createDueWatch({ db, isAlone }: DueWatchDeps): DueWatch {
  const pool = db.$client;
  const waiting = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let lookingSince: number | null = null;
  /** Null: the state is unknown, because the last look failed. */
  let last: Look | null = null;

  async function tick(): Promise<void> {
    const now = performance.now();
    if (lookingSince !== null) {
      if (now - lookingSince >= LATE_MS) wake(() => true);
      return;
    }
    if (mayHaveChanged(now)) {
      lookingSince = now;
      last = await look(now).catch(() => null);
      lookingSince = null;
    }
    // After a failed look, the loops run, so that they report the failure.
    wake((queue) => last === null || isDue(last, queue));
  }

  const mayHaveChanged = (now: number): boolean =>
    last === null || last.uses === null || last.uses !== pool.useCount() || now - last.sentAt >= QUIET_MS || !isAlone();

  async function look(sentAt: number): Promise<Look> {
    const before = pool.useCount();
    const due = await readNextDue(pool);
    const after = pool.useCount();
    // The look itself took and returned one connection.
    const isOnly = before !== null && after === before + 2;
    return { sentAt, answeredAt: performance.now(), due, uses: isOnly ? after : null };
  }

  function wake(isDueNow: (queue: WatchedQueue) => boolean): void {
    const next = performance.now() + TICK_MS;
    for (const waiter of waiting) {
      // A loop whose own delay ends before the next tick is woken immediately.
      if (waiter.from >= next || !isDueNow(waiter.queue)) continue;
      leave(waiter);
      waiter.onDue();
    }
  }

  function leave(waiter: Waiter): void {
    waiting.delete(waiter);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return (queue) => (pollMs, onDue) => {
    const waiter = { queue, from: performance.now() + pollMs, onDue };
    waiting.add(waiter);
    timer ??= setInterval(() => void tick(), TICK_MS);
    return () => leave(waiter);
  };
}

const isDue = ({ answeredAt, due }: Look, queue: WatchedQueue): boolean => {
  const inMs = due[queue];
  return inMs !== null && performance.now() - answeredAt >= inMs;
};
