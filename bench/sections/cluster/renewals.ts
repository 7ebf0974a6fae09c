import { createClientTokens } from '../../../src/access/client-tokens/client-token.ts';
import type { Key } from '../../../src/kernel/seal.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_RATE_LIMITS } from '../../../contract/limits.ts';
import { type Access, createAccess } from '../../../src/access/access.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLogger } from '../../../src/kernel/log.ts';
import { openDb } from '../../../src/store/db.ts';
import { startEmbeddedPostgres } from '../../../src/store/embedded/start-embedded-postgres.ts';
import { migrate } from '../../../src/store/migrate.ts';
import type { Plan } from '../../compare.ts';
import { costOf } from '../../cost.ts';
import { quantile } from '../../region.ts';

const COUNTS = [1, 4, 16, 64];
const REVOKES = 40;
const URL = 'https://us.parley.example';

/**
 * Measures the database load of leases by the number of nodes. All nodes run in this process with the real access code:
 * each has its lease, its listener and its sweep. This section makes no API calls. The section also measures how long
 * all nodes take to read a change.
 */
export async function renewals(plan: Plan): Promise<string[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const quiet = { info: () => {}, warn: () => {}, error: console.error };
  await using postgres = await startEmbeddedPostgres({ dataDir, log: quiet, tuning: { max_connections: '400' } });
  const nodes: Access[] = [];
  const db = openDb(postgres.url, { max: 4 });
  const lines: string[] = [];
  try {
    await migrate(postgres.url);
    const pepper = randomBytes(32);
    for (const count of COUNTS) {
      while (nodes.length < count) {
        const access = createAccess({
          db,
          databaseUrl: postgres.url,
          region: 'us',
          baseUrls: { us: URL, eu: URL, in: URL, qa: URL },
          pepper,
          clientTokens: createClientTokens(Buffer.alloc(32, 7) as Key, 'us'),
          limits: DEFAULT_RATE_LIMITS,
          clock: systemClock,
          log: createLogger({ level: 'silent', pretty: false }),
        });
        await access.start();
        nodes.push(access);
      }
      // Waits until the last node has known the server for a whole lease.
      await sleep(1_500);
      const seconds = plan.seconds * 2;
      const before = await costOf(db);
      await sleep(seconds * 1_000);
      const after = await costOf(db);
      const times: number[] = [];
      for (let n = 0; n < REVOKES; n += 1) {
        const since = performance.now();
        await nodes[n % count]!.change({ kind: 'key', id: `key_${n}` }, async () => {});
        times.push(performance.now() - since);
      }
      const rate = (part: 'transactions' | 'walBytes' | 'cpuMs'): number => (after[part] - before[part]) / seconds;
      lines.push(
        `${String(count).padStart(2)} nodes: ${rate('transactions').toFixed(0)} transactions/s, ${(rate('walBytes') / 1024).toFixed(1)} KiB of WAL/s, ${(rate('cpuMs') / 10).toFixed(1)} % of a core; a change holds everywhere after p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      );
    }
  } finally {
    for (const access of nodes) await access.stop();
    await db.$client.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return lines;
}
