import type pg from 'pg';

/**
 * The settings on which a connection relies. One statement applies the settings when the connection opens, so other
 * defaults of the server, the database or the role have no effect. The settings are not start-up parameters, because
 * PgBouncer refuses a connection with such parameters.
 */
export type ConnectionSettings = {
  /** Ends statements that hang because the network was lost. 0: never. Each kind of work has its own limit. */
  statementMs: number;
  /**
   * Ends a transaction whose client is stopped or disconnected, because the transaction must not keep its locks for
   * long.
   */
  silenceMs: number;
  /**
   * Every query of a node has an index. Plans are made while tables are still empty, when reading a whole table looks
   * cheap. Plans for empty tables stay cached while the tables grow. The planner uses a sequential scan only if no
   * index fits. Only a backup reads whole tables.
   */
  readsWholeTables: boolean;
};

/**
 * The settings for the connections of requests and workers. The time limit is longer than any statement of requests and
 * workers. While a transaction is open, a node computes only for milliseconds.
 */
export const WORK: ConnectionSettings = { statementMs: 20_000, silenceMs: 5_000, readsWholeTables: false };
/**
 * A migration or a backup has no time limit. The connection of a migration or a backup may also be idle between two
 * statements, because a backup waits for its disk.
 */
export const TASK: ConnectionSettings = { statementMs: 0, silenceMs: 5 * 60_000, readsWholeTables: true };

const SETTINGS = {
  // PostgreSQL needs 50 ms and more to compile a plan. The server compiles plans for tables that the server has not
  // analyzed yet.
  jit: 'off',
  // Parallel plans need /dev/shm, which is small in containers. No query of Parley needs parallel plans.
  max_parallel_workers_per_gather: '0',
  // Statements that write batches must see the commits of other transactions.
  default_transaction_isolation: 'read committed',
  // The driver reads times only in this format.
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  lock_timeout: '0',
  // A listening connection is silent for hours.
  idle_session_timeout: '0',
};

/**
 * A connection that only listens is silent for hours. Networks forget such a connection after minutes without a notice,
 * and Linux would check it after two hours. With this delay, the connection is checked while it is silent.
 */
export const LISTENING = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export async function applySettings(client: pg.ClientBase, session: ConnectionSettings): Promise<void> {
  const settings = {
    ...SETTINGS,
    enable_seqscan: session.readsWholeTables ? 'on' : 'off',
    statement_timeout: String(session.statementMs),
    idle_in_transaction_session_timeout: String(session.silenceMs),
  };
  // The server confirms a commit only after the commit is on disk, because an accepted call must be durable. A stricter
  // setting of the server, such as `remote_apply`, does not change.
  await client.query(
    `SELECT set_config(name, value, false) FROM json_each_text($1) AS s (name, value)
     UNION ALL
     SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
    [JSON.stringify(settings)],
  );
}

/** A pool's `onConnect` waits for the promise, although its types do not say so. */
export const applySettingsOnConnect =
  (session: ConnectionSettings): NonNullable<pg.PoolConfig['onConnect']> =>
  // oxlint-disable-next-line typescript/no-misused-promises -- see above
  (client) =>
    applySettings(client, session);

const MARK = 'parley.session';

/**
 * True if a connection of the pool always has the same session of the server. A pooler in transaction mode may use a
 * different session for each transaction. With such a pooler, settings, LISTEN and prepared statements would belong to
 * other clients. The caller has connected both clients.
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
