import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { CellPool } from './cells/cell-pool.ts';
import { type ConnectionSettings, applySettings, TASK, WORK } from './connection-settings.ts';

/** The database of the region. Most queries use Drizzle, and hand-written SQL uses the pool where speed matters. */
export type Db = NodePgDatabase & { $client: CellPool };

/** A transaction or the database itself. A transaction and the database itself can run named queries. */
export type Queryable = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export type DbOptions = {
  /** Maximum number of connections. Few connections are enough, because frequent work runs in batches. */
  max?: number;
  /** The role of the node, for `pg_stat_activity`. */
  role?: string;
  onError?: (error: Error) => void;
};

const CONNECT_TIMEOUT_MS = 5_000;

/** A connection shows its name in the database, for example `parley api`, `parley api lease` or `parley backup`. */
export const nameOf = (...words: readonly (string | undefined)[]): string =>
  ['parley', ...words].filter((word) => word !== undefined).join(' ');

export function openDb(url: string, options: DbOptions = {}): Db {
  const pool = new CellPool({
    connectionString: url,
    max: options.max ?? 16,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: WORK.statementMs + 2_000,
    application_name: nameOf(options.role),
    keepAlive: true,
    onConnect: (client) => applySettings(client, WORK),
  });
  // A broken idle connection must not end the process. The next query opens another connection.
  pool.on('error', (error) => options.onError?.(error));
  // This listener handles a connection that breaks between two statements while the connection is in use. The next
  // statement on the connection fails with the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  return databaseOf(pool);
}

export function databaseOf(pool: CellPool): Db {
  const db = drizzle(pool);
  // Drizzle releases the connection of a transaction only if BEGIN succeeds.
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(work, config);
    } finally {
      client.release();
    }
  };
  return db;
}

/**
 * Runs hand-written statements in a transaction. After an error, the connection is closed only if it cannot roll back.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isLost = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (isLost = true));
    throw error;
  } finally {
    client.release(isLost);
  }
}

/**
 * A separate connection for one long task that is not a request, such as a migration or a backup. The connection is
 * always closed at the end.
 */
export async function withClient<T>(
  url: string,
  task: string,
  use: (client: pg.Client) => Promise<T>,
  session: ConnectionSettings = TASK,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: nameOf(task),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The running statement also fails and reports the error.
  client.on('error', () => {});
  try {
    await client.connect();
    await applySettings(client, session);
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * The SQLSTATE of a failed statement, whether the driver threw the error or Drizzle wrapped it. Null: the error is not
 * from a statement.
 */
export function sqlState(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** True if the transaction was the victim of a deadlock, so that it can be retried. */
export const isDeadlock = (error: unknown): boolean => sqlState(error) === '40P01';

/** Repeats work that a concurrent transaction ended, at most `tries` times in all. The work must be a transaction. */
export async function retryWhile<T>(
  isRetried: (error: unknown) => boolean,
  tries: number,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetried(error) || attempt >= tries) throw error;
    }
  }
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/**
 * True if the statement did not run, or its outcome is unknown, because of the server or the network (connection
 * refused, reset, shutting down, timeout). False if the statement itself failed.
 */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return /^(08|53|57)/.test(state) || state === '25006' || isKilledCoordinator(state, error);
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return true;
    if (/connection|timeout|timed out/i.test(at.message)) return true;
  }
  return false;
}

/**
 * On Citus, a session of the coordinator outlives its killed server for a moment. A session that the server has ended
 * reports an internal error while a worker runs the statement.
 */
const isKilledCoordinator = (state: string, error: unknown): boolean =>
  state === 'XX000' && /postmaster was shut down/.test(String((error as Error).cause ?? error));
