import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../compare.ts';
import { fire, type Shot } from '../../load.ts';
import { costOf } from '../../cost.ts';
import { type Region, startRegion } from '../../region.ts';

/** An idle PostgreSQL session reports its statistics after at most ten seconds. */
const TOLD_MS = 10_500;
const ALONE = 400;

/**
 * Measures how much one accepted trigger call, with its answer, uses the shared servers: rows, transactions, WAL, and
 * commands of Redis. PostgreSQL and Redis count this use themselves. The work that the servers do without calls is
 * subtracted.
 */
export async function counts(plan: Plan): Promise<string[]> {
  await using region = await startRegion(1, { workers: 1, withRedis: true });
  const redisUrl = new URL(region.cluster.redisUrl!);
  const { key, triggerPath } = await region.tenant();
  const { url } = region.cluster.nodes[0]!;
  const headers = { Authorization: `Bearer ${key.value}` };
  const shot: Shot = { method: 'POST', path: triggerPath, headers };
  const look = () => readCounts(region, redisUrl);
  // The remaining start-up work of a fresh database is not idle work.
  await look();
  const idleFrom = await look();
  const idle = rateOf(idleFrom, await look());

  // With fewer calls, the server's own work would be larger than the result.
  const alone = ALONE * Math.max(1, Math.round(plan.scale));
  const measure = async (calls: () => Promise<number>): Promise<Counted> => {
    const before = await look();
    const made = await calls();
    await workedOff(region);
    return perCall(before, await look(), idle, made);
  };
  const oneByOne = await measure(async () => {
    for (let n = 0; n < alone; n += 1) await (await fetch(url + triggerPath, { method: 'POST', headers })).text();
    return alone;
  });
  const together = await measure(async () => (await fire(url, shot, plan.seconds)).answered);
  return [
    `no calls, one node and one worker: ${idle.numbers.get('transactions')!.toFixed(0)} transactions/s, ${(idle.numbers.get('WAL bytes')! / 1_024).toFixed(1)} KiB of WAL/s, ${redisOf(idle, 'probe').toFixed(1)} Redis commands/s`,
    `calls one after the other: ${countsText(oneByOne)}`,
    `64 calls at once:          ${countsText(together)}`,
    `rows of one call: ${rowsOf(together)}`,
  ];
}

/**
 * The names of the counters are "cpu" (ms), "transactions", "WAL bytes", "WAL syncs", "insert TABLE", "update TABLE",
 * "delete TABLE", "redis COMMAND".
 */
type Counted = { at: number; numbers: Map<string, number> };

async function readCounts({ db }: Region, redisUrl: URL): Promise<Counted> {
  await sleep(TOLD_MS);
  const { rows } = await db.$client.query<{ name: string; value: string }>(`
    SELECT 'transactions' AS name, xact_commit + xact_rollback AS value FROM pg_stat_database
      WHERE datname = current_database()
    UNION ALL SELECT 'WAL bytes', wal_bytes FROM pg_stat_wal
    UNION ALL SELECT 'WAL syncs', sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'
    UNION ALL SELECT 'insert ' || relname, n_tup_ins FROM pg_stat_user_tables
    UNION ALL SELECT 'update ' || relname, n_tup_upd FROM pg_stat_user_tables
    UNION ALL SELECT 'delete ' || relname, n_tup_del FROM pg_stat_user_tables`);
  const numbers = new Map(rows.map(({ name, value }) => [name, Number(value)]));
  for (const [, name, calls] of (await commandStats(redisUrl)).matchAll(/cmdstat_(\S+):calls=(\d+)/g))
    numbers.set(`redis ${name}`, Number(calls));
  numbers.set('cpu', (await costOf(db)).cpuMs);
  return { at: performance.now(), numbers };
}

/** This function needs no client library, because it sends one command and Redis closes the connection. */
async function commandStats({ hostname, port }: URL): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.write('INFO commandstats\r\nQUIT\r\n');
  return text(socket);
}

async function workedOff({ db }: Region): Promise<void> {
  for (;;) {
    const { rows } = await db.$client.query('SELECT 1 FROM run WHERE due_at IS NOT NULL LIMIT 1');
    if (rows.length === 0) return;
    await sleep(100);
  }
}

const less = (before: Counted, after: Counted, each: (name: string, grown: number) => number): Counted => ({
  at: after.at,
  numbers: new Map(
    [...after.numbers].map(([name, value]) => [name, each(name, value - (before.numbers.get(name) ?? 0))]),
  ),
});

const rateOf = (before: Counted, after: Counted): Counted =>
  less(before, after, (_, grown) => grown / ((after.at - before.at) / 1_000));

function perCall(before: Counted, after: Counted, idle: Counted, calls: number): Counted {
  const seconds = (after.at - before.at) / 1_000;
  return less(before, after, (name, grown) => Math.max(0, grown - (idle.numbers.get(name) ?? 0) * seconds) / calls);
}

const OURS = new Set(['redis info', 'redis quit']);

/** Returns the commands of Redis: `scripts` as the callers see them, `probe` without this section's own requests. */
function redisOf({ numbers }: Counted, what: 'scripts' | 'probe'): number {
  let total = 0;
  for (const [name, value] of numbers) {
    const isScript = /^redis (evalsha|eval)$/.test(name);
    if (isScript || (what === 'probe' && name.startsWith('redis ') && !OURS.has(name))) total += value;
  }
  return total;
}

function countsText(counted: Counted): string {
  const rows = sum(counted, 'insert ') + sum(counted, 'update ') + sum(counted, 'delete ');
  const of = (name: string): number => counted.numbers.get(name) ?? 0;
  return `${(of('cpu') * 1_000).toFixed(0)} µs of a core of the database, ${of('transactions').toFixed(2)} transactions, ${rows.toFixed(1)} rows written, ${of('WAL bytes').toFixed(0)} bytes of WAL in ${of('WAL syncs').toFixed(3)} syncs, ${redisOf(counted, 'scripts').toFixed(2)} Redis scripts`;
}

const sum = ({ numbers }: Counted, prefix: string): number =>
  [...numbers].reduce((total, [name, value]) => total + (name.startsWith(prefix) ? value : 0), 0);

/** Returns the tables that get at least a twentieth of a row per call. */
const rowsOf = ({ numbers }: Counted): string =>
  [...numbers]
    .filter(([name, value]) => /^(insert|update|delete) /.test(name) && value > 0.05)
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(', ');
