import type pg from 'pg';

/** The number of statements in the database of this connection that wait for a lock. */
export async function countLockWaits(client: { query: pg.Pool['query'] }): Promise<number> {
  const { rows } = await client.query(
    `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows.length;
}
