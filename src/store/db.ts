import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';

/** The region's database: Drizzle for everyday queries, the pool for hand-written SQL where speed counts. */
export type Db = NodePgDatabase & { $client: pg.Pool };

/** A transaction or the database itself: what a named query can run on. */
export type Queryable = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export type DbOptions = {
  /** Maximum connections; frequent work runs in batches, so few are needed. */
  max?: number;
  applicationName?: string;
  onError?: (error: Error) => void;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than any of our statements: ends statements that hang behind a lost network. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** Between two statements of a transaction a node computes only for milliseconds. */
const SILENCE_MS = 5_000;

export function openDb(url: string, options: DbOptions = {}): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 16,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 2_000,
    application_name: options.applicationName ?? 'parley',
    keepAlive: true,
    // Every query has an index. Plans are made while tables are still empty, when reading a whole table looks cheap,
    // and are cached while the tables grow. So a sequential scan is never planned if there is another way. A client
    // that is silent in the middle of a transaction (stopped, or cut off) must not keep its locks for long.
    options: `-c enable_seqscan=off -c idle_in_transaction_session_timeout=${SILENCE_MS}`,
  });
  // An idle connection that breaks must not end the process; the next query opens another one.
  pool.on('error', (error) => options.onError?.(error));
  // The same for a connection that breaks while it is checked out and between two statements: its holder gets the error
  // from the next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  return drizzle(pool);
}

/** A separate connection for one long task that is not a request (a migration, a backup); always closed. */
export async function withClient<T>(
  url: string,
  applicationName: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The statement in progress fails too, and reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}

/** SQLSTATE of a failed statement, whether thrown by the driver or wrapped by Drizzle; null for any other error. */
export function sqlState(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** This transaction was the victim of a deadlock: it can be retried. */
export const isDeadlock = (error: unknown): boolean => sqlState(error) === '40P01';

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/**
 * True when the statement did not run, or its outcome is unknown, because of the server or the network (connection
 * refused, reset, shutting down, timeout), and not because of the statement.
 */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return /^(08|53|57)/.test(state) || state === '25006';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return true;
    if (/connection|timeout|timed out/i.test(at.message)) return true;
  }
  return false;
}
