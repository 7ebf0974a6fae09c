import { sql } from 'drizzle-orm';
import pg from 'pg';
import { nameOf, type Queryable } from '../db.ts';
import { applySettings, applySettingsOnConnect, LISTENING, WORK } from '../connection-settings.ts';

/**
 * The change log and the rows of the nodes that read it (docs/adr/0102). The statements use two separate connections,
 * so that a busy pool cannot make a node lose its lease.
 */
export type ChangeKind = 'key' | 'organization' | 'agent' | 'trigger' | 'channel' | 'campaign';
export type LoggedSubject = { readonly kind: ChangeKind; readonly id: string };

/**
 * The channel of the notification that every change sends. The notification only makes other nodes read the log
 * immediately. A lost notification costs time, but never safety.
 */
const HINT_CHANNEL = 'parley_authz';
/**
 * The maximum number of changes that a node reads with one statement. A node that has missed more changes registers
 * again.
 */
const MAX_READ = 10_000;
/** Changes stay for this time after every node has read them, for people who investigate a problem. */
const KEPT = '1 hour';
/**
 * Identifies one run of the server by its start time and its timeline, which changes when a standby is promoted. The
 * expression for the timeline fails on a standby.
 */
const SERVER = `extract(epoch FROM pg_postmaster_start_time())::text || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8)`;
const SERVER_AGE = `(extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8`;

/** The parameters are the node ($1), its position ($2) and its server ($3). */
const RENEW = `UPDATE node_lease SET applied_seq = greatest(applied_seq, $2), renew_no = renew_no + 1, renewed_at = now()
  WHERE node_id = $1 AND ${SERVER} = $3`;
const NODES = '(SELECT count(*) FROM node_lease)::int';
/** Renews the row only if the log has no change after its position. */
const READ_LOG = `WITH log AS MATERIALIZED (SELECT seq AS head FROM authz_clock WHERE id = 1), renewed AS (
    ${RENEW} AND (SELECT head FROM log) = $2 RETURNING ${NODES} AS nodes)
  SELECT ${SERVER} AS server, head, (SELECT nodes FROM renewed) AS nodes,
    (SELECT coalesce(json_agg(json_build_object('kind', c.kind, 'id', c.subject_id) ORDER BY c.seq), '[]')
     FROM (SELECT * FROM authz_change WHERE seq > $2 ORDER BY seq LIMIT ${MAX_READ}) c) AS subjects
  FROM log`;

/**
 * A node that stops, or loses its connection, in the middle of a change keeps the lock of the log. After this time, the
 * database ends the transaction of the node, so a change waits for the node no longer than for a lease.
 */
export const LOCK_HELD_MS = 1_000;

/** A change also ends if one of its statements waits this long, for example for a database node that hangs. */
const STATEMENT_MS = 5_000;
const boundStatements = sql`set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;

/** Ends this transaction if its client is silent for this long. The setting applies until the transaction ends. */
export const boundSilence = sql`set_config('idle_in_transaction_session_timeout', ${String(LOCK_HELD_MS)}, true)`;

/**
 * `server`: the run of the database server in which the number was assigned. After a restart, the server may assign the
 * number of a lost change to another change.
 */
export type Place = { seq: number; server: string };

/**
 * Takes the next positions in the log, one for each subject. Returns the last of the positions that it took. The call
 * must be the first statement of the transaction. The row lock stays until the commit, so positions become visible in
 * the order of their numbers. A sequence would not work, because its numbers commit in any order, and a reader would
 * miss one forever.
 */
export async function takePlaces(tx: Queryable, subjects: readonly LoggedSubject[]): Promise<Place> {
  const kinds = sql.param(subjects.map((subject) => subject.kind));
  const ids = sql.param(subjects.map((subject) => subject.id));
  const taken = await tx.execute<{ seq: string; server: string }>(sql`
    WITH place AS (UPDATE authz_clock SET seq = seq + ${subjects.length} WHERE id = 1 RETURNING seq),
    written AS (
      INSERT INTO authz_change (seq, kind, subject_id)
      SELECT place.seq - ${subjects.length} + s.n, s.kind, s.id
      FROM place, unnest(${kinds}::text[], ${ids}::text[]) WITH ORDINALITY AS s(kind, id, n))
    SELECT seq, ${sql.raw(SERVER)} AS server, pg_notify(${HINT_CHANNEL}, ''), ${boundSilence}, ${boundStatements} FROM place`);
  const { seq, server } = taken.rows[0]!;
  return { seq: Number(seq), server };
}

/**
 * The number of nodes, alive or dead, that have not read up to this position. People who wait for a node see its name.
 */
export async function countNodesBehind(db: Queryable, seq: number): Promise<number> {
  const { rows } = await db.execute<{ many: number }>(
    sql`SELECT count(*)::int AS many FROM node_lease WHERE applied_seq < ${seq}`,
  );
  return rows[0]!.many;
}

export type LeaseOptions = { role: string | undefined; timeoutMs: number; onError: (error: Error) => void };

export function openLeaseTable(url: string, options: LeaseOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: options.timeoutMs,
    query_timeout: options.timeoutMs,
    application_name: nameOf(options.role, 'lease'),
    keepAlive: true,
    onConnect: applySettingsOnConnect({ ...WORK, statementMs: options.timeoutMs, silenceMs: LOCK_HELD_MS }),
  });
  pool.on('error', options.onError);

  return {
    async register(nodeId: string) {
      const made = await pool.query<{ position: string; server: string; age: number; others: number }>(
        `INSERT INTO node_lease (node_id, applied_seq) SELECT $1, seq FROM authz_clock WHERE id = 1
         RETURNING applied_seq AS position, ${SERVER} AS server, ${SERVER_AGE} AS age, ${NODES} AS others`,
        [nodeId],
      );
      const row = made.rows[0]!;
      // The count excludes the new row of this node.
      return { position: Number(row.position), server: row.server, serverAgeMs: row.age, nodes: row.others + 1 };
    },

    async readLog(nodeId: string, position: number, server: string) {
      type Row = { server: string; head: string; subjects: LoggedSubject[]; nodes: number | null };
      const read = await pool.query<Row>({
        name: 'lease-read',
        text: READ_LOG,
        values: [nodeId, position, server],
      });
      const { head, nodes, ...row } = read.rows[0]!;
      return { ...row, head: Number(head), renewed: nodes === null ? null : { nodes } };
    },

    async renew(nodeId: string, position: number, server: string) {
      const renewed = await pool.query<{ nodes: number }>({
        name: 'lease-renew',
        text: `${RENEW} RETURNING ${NODES} AS nodes`,
        values: [nodeId, position, server],
      });
      return renewed.rows[0] ?? null;
    },

    async remove(nodeId: string) {
      await pool.query('DELETE FROM node_lease WHERE node_id = $1', [nodeId]);
    },

    async leases() {
      const read = await pool.query<{
        server: string;
        age: number;
        leases: { nodeId: string; position: number; renewNo: number }[];
      }>({
        name: 'lease-list',
        text: `SELECT ${SERVER} AS server, ${SERVER_AGE} AS age, (SELECT coalesce(json_agg(json_build_object(
            'nodeId', node_id, 'position', applied_seq, 'renewNo', renew_no)), '[]') FROM node_lease) AS leases`,
      });
      const row = read.rows[0]!;
      return { server: row.server, serverAgeMs: row.age, leases: row.leases };
    },

    async removeDead(lease: { nodeId: string; renewNo: number }) {
      await pool.query('DELETE FROM node_lease WHERE node_id = $1 AND renew_no = $2', [lease.nodeId, lease.renewNo]);
    },

    /** Removes entries that every node has applied long ago. */
    async prune() {
      await pool.query(
        `DELETE FROM authz_change WHERE at < now() - interval '${KEPT}'
         AND seq <= (SELECT coalesce(min(l.applied_seq), c.seq) FROM authz_clock c LEFT JOIN node_lease l ON true
           WHERE c.id = 1 GROUP BY c.seq)`,
      );
    },

    async close() {
      await pool.end();
    },
  };
}

const LONGEST_RECONNECT_MS = 5_000;

/** Calls `onHint` on every change of any node, and after each reconnect. */
export function listenForHints(url: string, onHint: () => void, options: Omit<LeaseOptions, 'timeoutMs'>) {
  const { onError } = options;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let failures = 0;

  const connect = async (): Promise<void> => {
    const made = new pg.Client({
      connectionString: url,
      application_name: nameOf(options.role, 'listen'),
      ...LISTENING,
    });
    client = made;
    made.on('notification', onHint);
    made.on('error', onError);
    made.on('end', () => again(made));
    try {
      await made.connect();
      await applySettings(made, WORK);
      await made.query(`LISTEN ${HINT_CHANNEL}`);
      failures = 0;
      onHint();
    } catch (error) {
      onError(error as Error);
      await made.end().catch(() => {});
      again(made);
    }
  };

  const again = (ended: pg.Client): void => {
    if (stopped || client !== ended) return;
    client = null;
    timer = setTimeout(() => void connect(), Math.min(100 * 2 ** failures++, LONGEST_RECONNECT_MS));
    timer.unref();
  };

  void connect();
  return {
    async stop(): Promise<void> {
      stopped = true;
      if (timer) clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
