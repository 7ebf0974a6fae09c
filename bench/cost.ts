import { readdirSync, readFileSync } from 'node:fs';
import type { Db } from '../src/store/db.ts';

/** The counters of the database server at one moment. */
export type ServerCost = { cpuMs: number; transactions: number; walBytes: number; at: number };

export async function costOf(db: Db): Promise<ServerCost> {
  const { rows } = await db.$client.query<{ tx: string; wal: string; postmaster: number }>(
    `SELECT xact_commit + xact_rollback AS tx, (SELECT wal_bytes FROM pg_stat_wal) AS wal,
       pg_backend_pid() AS postmaster FROM pg_stat_database WHERE datname = current_database()`,
  );
  const row = rows[0]!;
  return {
    cpuMs: cpuOf(parentOf(row.postmaster)),
    transactions: Number(row.tx),
    walBytes: Number(row.wal),
    at: performance.now(),
  };
}

const statOf = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
const parentOf = (pid: number): number => Number(statOf(pid)[1]);
const TICK_MS = 10;

/** Returns the processor time of a server and all its backends, including ended backends. */
function cpuOf(postmaster: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = statOf(Number(name));
      if (Number(name) === postmaster) ticks += [11, 12, 13, 14].reduce((total, at) => total + Number(stat[at]), 0);
      else if (Number(stat[1]) === postmaster) ticks += Number(stat[11]) + Number(stat[12]);
    } catch {
      // The process has just ended, so its file is missing.
    }
  }
  return ticks * TICK_MS;
}

/** Returns the processor time of one process with all its threads. */
const cpuOfProcess = (pid: number): number => {
  const stat = statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) * TICK_MS;
};

/** Returns the ticks of all cores, and the idle ticks. */
function machine(): { all: number; idle: number } {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((total, one) => total + one, 0), idle: ticks[3]! + ticks[4]! };
}

type Point = { node: number; server: number; writes: number; wal: number; all: number; idle: number };

/**
 * The resources that a call needs, as the kernel and the server count them. The figures of a meter are valid on a busy
 * machine too.
 */
export type Meter = {
  /** Measures the given work, which returns the number of calls. */
  around<T>(work: () => Promise<T>, callsOf: (result: T) => number): Promise<T>;
  costText(): string;
};

export function createMeter({ db, pid }: { db: () => Db; pid: () => number }): Meter {
  const total = { calls: 0, node: 0, server: 0, writes: 0, wal: 0, all: 0, idle: 0 };
  const look = async (): Promise<Point> => {
    // PostgreSQL gives a transaction number only to a transaction that writes. The position in the write-ahead log is
    // exact at any moment.
    const { rows } = await db().$client.query<{ writes: string; wal: string }>(
      `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS writes, pg_current_wal_insert_lsn() - '0/0' AS wal`,
    );
    const { cpuMs } = await costOf(db());
    return {
      node: cpuOfProcess(pid()),
      server: cpuMs,
      writes: Number(rows[0]!.writes),
      wal: Number(rows[0]!.wal),
      ...machine(),
    };
  };
  return {
    around: async (work, callsOf) => {
      const before = await look();
      const result = await work();
      const after = await look();
      total.calls += callsOf(result);
      for (const name of ['node', 'server', 'writes', 'wal', 'all', 'idle'] as const)
        total[name] += after[name] - before[name];
      return result;
    },
    costText: () => {
      const { calls, node, server, writes, wal, all, idle } = total;
      const micros = (ms: number): string => ((ms * 1_000) / calls).toFixed(0);
      return [
        `a call: ${micros(node)} µs of Node, ${micros(server)} µs of PostgreSQL`,
        `${(writes / calls).toFixed(3)} transactions that write, ${(wal / calls).toFixed(0)} bytes of WAL`,
        `cores idle ${((100 * idle) / all).toFixed(0)} %`,
      ].join(', ');
    },
  };
}
