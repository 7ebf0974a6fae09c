import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';

/** The region's database: Drizzle for everyday queries, the pool for hand-written SQL where speed counts. */
export type Db = NodePgDatabase & { $client: pg.Pool };

/** A transaction or the database itself: what a named query can run on. */
export type Queryable = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export type DbOptions = {
  /** Connections at most; everything hot runs in batches, so few are needed. */
  max?: number;
  applicationName?: string;
  onError?: (error: Error) => void;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than any statement of ours: cuts off what hangs behind a lost network. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** Between two statements of a transaction a node computes for milliseconds. */
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
    // Every query of ours has an index. Plans are made while tables are still empty, when reading all of them looks cheap,
    // and are kept while the tables grow: so reading a whole table is never planned where there is another way.
    // A client that falls silent in the middle of a transaction (stopped, or cut off) may not keep its locks for long.
    options: `-c enable_seqscan=off -c idle_in_transaction_session_timeout=${SILENCE_MS}`,
  });
  // An idle connection that breaks must not end the process; the next query opens another one.
  pool.on('error', (error) => options.onError?.(error));
  // Nor must one that breaks while it is lent out and between two statements: who has it learns of it from the next one.
  pool.on('connect', (client) => client.on('error', () => {}));
  return drizzle(pool);
}

/** A connection of its own for one long task that is not a request's (a migration, a backup); closed whatever happens. */
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
  // The statement under way fails too, and tells it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}

/** SQLSTATE of a failed statement, whether thrown by the driver or wrapped by Drizzle; null for anything else. */
export function sqlState(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** Two transactions waited for each other and this one was given up: it can be run again. */
export const isDeadlock = (error: unknown): boolean => sqlState(error) === '40P01';

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/**
 * True when the statement did not run, or its fate is unknown, for a reason that lies with the server or the way to
 * it (connection refused, reset, shutting down, time-out), and not with the statement.
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
