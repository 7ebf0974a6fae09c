import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Db } from './db.ts';

/**
 * A pooler in transaction mode may run each transaction in a different session of the server. With such a pooler,
 * settings and prepared statements of a session are unreliable. Each session begins with the settings of Parley, which
 * the role stores, and statements have no names unless the pooler handles names itself. LISTEN, migrations and backups
 * use a second address with real sessions.
 */
const SETTINGS = [
  'jit',
  'max_parallel_workers_per_gather',
  'default_transaction_isolation',
  'DateStyle',
  'TimeZone',
  'lock_timeout',
  'idle_session_timeout',
  'enable_seqscan',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'synchronous_commit',
];
const DEFAULTS_LOCK = 0x70_6f_6f_6c;
const PROBES = 4;

/** Makes the settings of this session the defaults of its role in its database. */
export async function storeSessionDefaults(direct: pg.ClientBase): Promise<void> {
  await direct.query('BEGIN');
  // Two processes that change the same row of the catalog at the same time would fail.
  await direct.query('SELECT pg_advisory_xact_lock($1)', [DEFAULTS_LOCK]);
  const { rows } = await direct.query<{ change: string }>(
    `SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L', current_database(), n, current_setting(n)) AS change
     FROM unnest($1::text[]) AS wanted (n)
     WHERE NOT EXISTS (
       SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
       WHERE r.rolname = current_user AND d.datname = current_database()
         AND n || '=' || current_setting(n) = ANY (s.setconfig))`,
    [SETTINGS],
  );
  for (const { change } of rows) await direct.query(change);
  await direct.query('COMMIT');
}

export type PoolerReport = {
  /** `DATABASE_URL` and the second address lead to the same server, database and role. */
  isSameDatabase: boolean;
  /** Settings that a session of the pooler does not have, because the session is older than the stored defaults. */
  differing: string[];
  /** True if names of prepared statements are safe with this pooler. */
  keepsPrepared: boolean;
};

/** `direct`: a connection with the settings of `WORK`. */
export async function readPooler(direct: pg.ClientBase, poolerUrl: string): Promise<PoolerReport> {
  const options = { connectionString: poolerUrl, connectionTimeoutMillis: 5_000, application_name: 'parley check' };
  const [one, other] = [new pg.Client(options), new pg.Client(options)];
  for (const client of [one, other]) client.on('error', () => {});
  try {
    await Promise.all([one.connect(), other.connect()]);
    const [here, there] = [await stateOf(direct), await stateOf(one)];
    return {
      isSameDatabase: here.place === there.place,
      differing: SETTINGS.filter((name) => here.settings[name] !== there.settings[name]),
      keepsPrepared: await keepsPrepared(one, other),
    };
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function stateOf(client: pg.ClientBase): Promise<{ place: string; settings: Record<string, string> }> {
  const { rows } = await client.query<{ place: string; settings: Record<string, string> }>(
    `SELECT concat_ws(' ', system_identifier, d.oid, current_user) AS place,
       (SELECT json_object_agg(n, current_setting(n)) FROM unnest($1::text[]) AS s (n)) AS settings
     FROM pg_control_system(), pg_database d WHERE d.datname = current_database()`,
    [SETTINGS],
  );
  return rows[0]!;
}

/**
 * Both connections prepare different statements under one name, to test whether the pooler separates names. The caller
 * has connected both clients.
 */
async function keepsPrepared(one: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  const name = `parley-${randomBytes(6).toString('hex')}`;
  try {
    for (let probe = 0; probe < PROBES; probe++)
      for (const [client, n] of [
        [one, 1],
        [other, 2],
      ] as const) {
        // prettier-ignore
        const { rows } = await client.query<{ n: number }>({ name, text: `SELECT ${n} AS n` });
        if (rows[0]!.n !== n) return false;
      }
    return true;
  } catch {
    return false;
  }
}

/** Statements of this pool are planned at each execution, because a prepared name may belong to another session. */
export function withoutPrepared(db: Db): void {
  db.$client.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const unnamed = (first: unknown, ...more: unknown[]): unknown =>
      query(
        typeof first === 'object' && first !== null && 'name' in first ? { ...first, name: undefined } : first,
        ...more,
      );
    client.query = unnamed as typeof client.query;
  });
}
