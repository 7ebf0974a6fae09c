import { sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import { NOW } from '../schema/columns.ts';
import { LEASE_SECONDS, type QueueTable } from './lease-seconds.ts';

/**
 * A queue is a table with the columns `due_at` and `lease`. A claim moves `due_at` to the end of the lease, so that no
 * other worker takes the row before, and stores a token in `lease`. Each later statement of the worker compares the
 * token, so a worker that has lost its lease changes nothing. When a worker dies, another worker claims the row after
 * the lease has ended. Statements find rows by their key alone, so a plan that was made for an empty table stays
 * efficient.
 */
export type Leased<Key extends string> = Readonly<Record<Key | 'lease', string>>;

type Claim = {
  /**
   * CTEs, the last of which is `due` with the keys of the rows to claim. By default, the claim takes the row that has
   * been due longest.
   */
  due?: string;
  /** Additional columns that the claim sets. The row has the alias `q`. */
  set?: string;
  /** The columns of `claimed`, from the row `q` and from `due`. */
  returning: string;
  /** Selects the data that the worker needs from `claimed`. By default, the query returns all columns. */
  read?: string;
};

type Due = {
  /** Additional conditions for the row `q`. */
  and?: string;
  orderBy?: string;
  limit?: string;
  /** Additional columns of `due`. */
  more?: string;
};

type Options = {
  /** A renewal skips rows that are locked or have no `due_at`. */
  skipsLocked?: boolean;
};

export function leasedQueue<const Key extends string>(table: QueueTable, key: readonly Key[], options: Options = {}) {
  const columns: readonly (Key | 'lease')[] = [...key, 'lease'];
  const renewText = renewTextOf(table, key, options);

  /** The SQL condition that a row still has this lease. */
  const underLease = (row: Leased<Key>): SQL =>
    sql.join(
      columns.map((column) => sql`${sql.raw(column)} = ${row[column]}`),
      sql` AND `,
    );
  const update = async (db: Queryable, row: Leased<Key>, set: SQL, and?: SQL): Promise<boolean> => {
    const where = sql`${underLease(row)} ${and && sql`AND ${and}`}`;
    const updated = await db.execute(sql`UPDATE ${sql.raw(table)} SET ${set} WHERE ${where}`);
    return updated.rowCount === 1;
  };

  return {
    underLease,
    /**
     * The SQL condition that a row still has its lease. A statement uses one alias for the table and one alias for rows
     * from `leaseTypes`.
     */
    sameLease: (alias: string, rows: string): string => same(columns, alias, rows),
    /** The column types for rowsOf: the key and the lease. */
    leaseTypes: Object.fromEntries(columns.map((column) => [column, 'text'])) as Record<Key | 'lease', 'text'>,
    leaseColumns: (rows: readonly Leased<Key>[]) =>
      Object.fromEntries(columns.map((column) => [column, rows.map((row) => row[column])])) as Record<
        Key | 'lease',
        string[]
      >,

    /** The CTE `due` of rows in the order in which they are due. */
    dueFirst: (due: Due): string => dueFirst(table, key, due),
    /** Claims up to $1 rows under the lease $2. */
    claim: <Row extends pg.QueryResultRow>(claim: Claim) => {
      const text = claimTextOf(table, key, claim, '$2');
      const run = async (
        pool: pg.Pool,
        limit: number,
        lease: string,
        more: readonly unknown[] = [],
      ): Promise<Row[]> => {
        const values = [limit, lease, ...more];
        return (await pool.query<Row>({ name: `claim-${table}`, text, values })).rows;
      };
      return Object.assign(run, { text });
    },
    /** Claims one row, in the caller's transaction or in a separate statement. */
    claimOne: <Row extends Record<string, unknown>>(claim: Claim) => {
      const [before = '', after = ''] = claimTextOf(table, key, claim, ':lease').split(':lease');
      return async (db: Queryable, lease: string): Promise<Row | null> => {
        const claimed = await db.execute<Row>(sql`${sql.raw(before)}${lease}${sql.raw(after)}`);
        return (claimed.rows[0] as Row | undefined) ?? null;
      };
    },
    /** Renews the leases of a live worker, and returns the keys of the renewed rows. */
    renewAll: async (pool: pg.Pool, rows: readonly Leased<Key>[]): Promise<Record<Key, string>[]> => {
      const values = columns.map((column) => rows.map((row) => row[column]));
      return (await pool.query<Record<Key, string>>({ name: `renew-${table}`, text: renewText, values })).rows;
    },
    /**
     * Renews a lease and stores progress. Returns false if the row belongs to another worker, or if the condition `and`
     * is false.
     */
    renew: (db: Queryable, row: Leased<Key>, set: SQL, and?: SQL): Promise<boolean> =>
      update(db, row, sql`due_at = ${sql.raw(leaseEnd(table))}, ${set}`, and),
    /** Releases the row for the next claim, after a delay. */
    release: (db: Queryable, row: Leased<Key>, inSeconds: number, set?: SQL): Promise<boolean> => {
      const dueAt = sql`now() + make_interval(secs => ${inSeconds}::float8)`;
      return update(db, row, sql`lease = NULL, due_at = ${dueAt}${set && sql`, ${set}`}`);
    },
    /** Ends the work on the row. `dueAt`: the time when the row becomes due again. */
    finish: (db: Queryable, row: Leased<Key>, set?: SQL, dueAt: SQL = sql`NULL`): Promise<boolean> =>
      update(db, row, sql`lease = NULL, due_at = ${dueAt}${set && sql`, ${set}`}`),
  };
}

const leaseEnd = (table: QueueTable): string => `now() + make_interval(secs => ${LEASE_SECONDS[table]})`;

function dueFirst(
  table: QueueTable,
  key: readonly string[],
  { and = '', orderBy = 'q.due_at', limit = '1', more = '' }: Due = {},
): string {
  return `due AS MATERIALIZED (
  SELECT ${of('q', key)}${more && `, ${more}`} FROM ${table} q WHERE q.due_at <= ${NOW} ${and}
  ORDER BY ${orderBy} LIMIT ${limit} FOR UPDATE OF q SKIP LOCKED
)`;
}

function claimTextOf(
  table: QueueTable,
  key: readonly string[],
  { due = dueFirst(table, key), set = '', returning, read = 'SELECT * FROM claimed' }: Claim,
  lease: string,
): string {
  return `WITH ${due}, claimed AS (
  UPDATE ${table} q SET due_at = ${leaseEnd(table)}, lease = ${lease}${set && `, ${set}`}
  FROM due WHERE ${same(key, 'q', 'due')}
  RETURNING ${returning}
)
${read}`;
}

function renewTextOf(table: QueueTable, key: readonly string[], { skipsLocked = false }: Options): string {
  const columns = [...key, 'lease'];
  const rows = rowsIn('t', columns);
  if (!skipsLocked)
    return `UPDATE ${table} q SET due_at = ${leaseEnd(table)} FROM ${rows}
      WHERE ${same(columns, 'q', 't')} RETURNING ${of('q', key)}`;
  return `WITH mine AS MATERIALIZED (
      SELECT ${of('q', columns)} FROM ${rows}
      JOIN ${table} q ON ${same(columns, 'q', 't')} AND q.due_at IS NOT NULL FOR NO KEY UPDATE OF q SKIP LOCKED
    )
    UPDATE ${table} q SET due_at = ${leaseEnd(table)} FROM mine
    WHERE ${same(columns, 'q', 'mine')} AND q.due_at IS NOT NULL RETURNING ${of('q', key)}`;
}

const of = (alias: string, names: readonly string[]): string => names.map((name) => `${alias}.${name}`).join(', ');
const same = (names: readonly string[], a: string, b: string): string =>
  names.map((name) => `${a}.${name} = ${b}.${name}`).join(' AND ');

/** Converts one array per column to rows, with parameters $1, $2, … */
const rowsIn = (alias: string, columns: readonly string[]): string =>
  `unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) AS ${alias}(${columns.join(', ')})`;
