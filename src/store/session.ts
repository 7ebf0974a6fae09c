import type pg from 'pg';

/**
 * What a connection relies on. It is set by one statement after the connection opens, so that other defaults of the
 * server, the database or the role change nothing. Not by start-up parameters: PgBouncer refuses a connection that
 * sends them.
 */
export type Session = {
  /** Ends statements that hang behind a lost network; 0: never. Each kind of work has its own. */
  statementMs: number;
  /** Ends a transaction whose client is silent (stopped, or cut off): it must not keep its locks for long. */
  silenceMs: number;
  /**
   * Every query of a node has an index. Plans are made while tables are still empty, when reading a whole table looks
   * cheap, and are cached while the tables grow. So a sequential scan is never planned if there is another way. A
   * backup reads whole tables.
   */
  readsWholeTables: boolean;
};

/** Requests and workers. Longer than any of their statements; in a transaction a node computes for milliseconds only. */
export const WORK: Session = { statementMs: 20_000, silenceMs: 5_000, readsWholeTables: false };
/** A migration or a backup takes as long as it takes, also between two statements: a backup waits for its disk. */
export const TASK: Session = { statementMs: 0, silenceMs: 5 * 60_000, readsWholeTables: true };

const SETTINGS = {
  // Compiling a plan costs 50 ms and more. A server does it for tables that it has not analyzed yet.
  jit: 'off',
  // Parallel plans need /dev/shm, which is small in containers; no query here needs them.
  max_parallel_workers_per_gather: '0',
  // Statements that write batches expect to see what others have committed.
  default_transaction_isolation: 'read committed',
  // The driver reads times in this form alone.
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  lock_timeout: '0',
  // A listener is silent for hours.
  idle_session_timeout: '0',
};

export async function settle(client: pg.ClientBase, session: Session): Promise<void> {
  const settings = {
    ...SETTINGS,
    enable_seqscan: session.readsWholeTables ? 'on' : 'off',
    statement_timeout: String(session.statementMs),
    idle_in_transaction_session_timeout: String(session.silenceMs),
  };
  // An accepted call is a committed one. Stricter values (remote_apply) stay.
  await client.query(
    `SELECT set_config(name, value, false) FROM json_each_text($1) AS s (name, value)
     UNION ALL
     SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
    [JSON.stringify(settings)],
  );
}

/** For a pool's `onConnect`: it waits for the promise, which its types do not say. */
export const settles =
  (session: Session): NonNullable<pg.PoolConfig['onConnect']> =>
  // oxlint-disable-next-line typescript/no-misused-promises -- see above
  (client) =>
    settle(client, session);

const MARK = 'parley.session';

/**
 * Whether one connection keeps one session of the server. A pooler in transaction mode gives each transaction another
 * one: then settings, LISTEN and prepared statements are those of other clients. Both clients are connected.
 */
export async function keepsSession(one: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  const mark = `${process.pid}-${performance.now()}`;
  await one.query(`SELECT set_config('${MARK}', $1, false)`, [mark]);
  for (const client of [other, one, other, one]) {
    const { rows } = await client.query<{ mark: string | null }>(`SELECT current_setting('${MARK}', true) AS mark`);
    if ((rows[0]!.mark === mark) !== (client === one)) return false;
  }
  return true;
}
