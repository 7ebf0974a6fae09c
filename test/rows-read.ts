import type { Db } from '../src/store/db.ts';

/** The number of rows and index entries that the call read per table. */
export type RowsRead = Record<string, number>;

/**
 * Measures the database reads of a call, as PostgreSQL counts them. Unlike a duration, the count does not depend on the
 * machine, and unlike a plan it shows the actual reads. No other connection may use the database during the call.
 */
export async function rowsRead(db: Db, call: () => Promise<unknown>): Promise<RowsRead> {
  const before = await readCounters(db);
  await call();
  const after = await readCounters(db);
  const read = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const);
  return Object.fromEntries(read.filter(([, count]) => count > 0));
}

async function readCounters({ $client }: Db): Promise<Map<string, number>> {
  // Every connection of the pool reports its counts when a statement ends after this call.
  const clients = await Promise.all(Array.from({ length: $client.totalCount }, () => $client.connect()));
  try {
    for (const client of clients) {
      await client.query('SELECT pg_stat_force_next_flush()');
      await client.query('SELECT 1');
    }
  } finally {
    for (const client of clients) client.release();
  }
  const { rows } = await $client.query<{ table: string; count: number }>(
    `SELECT relname AS table, (coalesce(t.seq_tup_read, 0) + coalesce(sum(i.idx_tup_read), 0))::float8 AS count
      FROM pg_stat_user_tables t LEFT JOIN pg_stat_user_indexes i USING (relid, relname)
      GROUP BY t.relid, relname, t.seq_tup_read`,
  );
  return new Map(rows.map(({ table, count }) => [table, count]));
}
