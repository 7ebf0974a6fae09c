import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { type Session, settle, settles, TASK, WORK } from './session.ts';

/** The region's database: Drizzle for everyday queries, the pool for hand-written SQL where speed counts. */
export type Db = NodePgDatabase & { $client: pg.Pool };

/** A transaction or the database itself: what a named query can run on. */
export type Queryable = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export type DbOptions = {
  /** Maximum connections; frequent work runs in batches, so few are needed. */
  max?: number;
  /** Of the node, for `pg_stat_activity`. */
  role?: string;
  onError?: (error: Error) => void;
};

const CONNECT_TIMEOUT_MS = 5_000;

/** What a connection says it is: `parley api`, `parley api lease`, `parley backup`. */
export const nameOf = (...words: readonly (string | undefined)[]): string =>
  ['parley', ...words].filter((word) => word !== undefined).join(' ');

export function openDb(url: string, options: DbOptions = {}): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 16,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: WORK.statementMs + 2_000,
    application_name: nameOf(options.role),
    keepAlive: true,
    onConnect: settles(WORK),
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
  task: string,
  use: (client: pg.Client) => Promise<T>,
  session: Session = TASK,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: nameOf(task),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The statement in progress fails too, and reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    await settle(client, session);
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
