import { and, eq, gte, sql } from 'drizzle-orm';
import type pg from 'pg';
import { byCell } from '../cells/by-cell.ts';
import type { Db } from '../db.ts';
import { named, rowsOf } from '../named-statement.ts';
import { newestFirst } from '../page.ts';
import { keyUsage, requestLog } from '../schema/usage.ts';

export type UsageCount = {
  orgId: string;
  keyId: string;
  hour: Date;
  accepted: number;
  refused: number;
  failed: number;
};
export type LoggedRequest = typeof requestLog.$inferSelect;

/** Rows are stored for this time, which is the longest period on the key's page. */
const KEPT_DAYS = 31;

const REQUEST = rowsOf('r', {
  org_id: 'text',
  id: 'text',
  key_id: 'text',
  at: 'timestamptz',
  method: 'text',
  route: 'text',
  ids: 'jsonb',
  status: 'smallint',
  code: 'text',
  ms: 'int',
});

const WRITE_REQUESTS = named(
  'write-requests',
  REQUEST.types,
  `INSERT INTO request_log (org_id, id, key_id, at, method, route, ids, status, code, ms)
  SELECT * FROM ${REQUEST.from}
  ON CONFLICT DO NOTHING`,
);

/**
 * Adds counts and requests to the database, in one round trip each. Counts of several nodes are added up in the
 * database.
 */
export async function writeUsage(
  pool: pg.Pool,
  counts: readonly UsageCount[],
  requests: readonly LoggedRequest[],
): Promise<void> {
  const counted = byCell(
    pool,
    counts,
    ({ orgId }) => orgId,
    (some) => writeCounts(pool, some),
  );
  // If the counts of one cell cannot be written, the requests are still written.
  await counted.catch(() => {});
  await byCell(
    pool,
    requests,
    ({ orgId }) => orgId,
    (some) => writeRequests(pool, some),
  );
  await counted;
}

async function writeCounts(pool: pg.Pool, unordered: readonly UsageCount[]): Promise<[]> {
  // All nodes write the rows in one fixed order, to avoid deadlocks.
  const counts = unordered.toSorted((a, b) => (rowOf(a) < rowOf(b) ? -1 : 1));
  await pool.query({
    name: 'write-usage',
    text: `INSERT INTO key_usage (org_id, key_id, hour, accepted, refused, failed)
      SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $6::int[])
      ON CONFLICT (org_id, key_id, hour) DO UPDATE SET accepted = key_usage.accepted + excluded.accepted,
        refused = key_usage.refused + excluded.refused, failed = key_usage.failed + excluded.failed`,
    values: [
      counts.map((row) => row.orgId),
      counts.map((row) => row.keyId),
      counts.map((row) => row.hour),
      counts.map((row) => row.accepted),
      counts.map((row) => row.refused),
      counts.map((row) => row.failed),
    ],
  });
  return [];
}

const rowOf = ({ orgId, keyId, hour }: UsageCount) => `${orgId} ${keyId} ${hour.toISOString()}`;

async function writeRequests(pool: pg.Pool, requests: readonly LoggedRequest[]): Promise<[]> {
  await pool.query(
    WRITE_REQUESTS({
      org_id: requests.map((row) => row.orgId),
      id: requests.map((row) => row.id),
      key_id: requests.map((row) => row.keyId),
      at: requests.map((row) => row.at),
      method: requests.map((row) => row.method),
      route: requests.map((row) => row.route),
      ids: requests.map((row) => JSON.stringify(row.ids)),
      status: requests.map((row) => row.status),
      code: requests.map((row) => row.code),
      ms: requests.map((row) => row.ms),
    }),
  );
  return [];
}

/** Returns counts per `unit`, oldest first. The result leaves out units without a request. */
export async function readKeyUsage(
  db: Db,
  orgId: string,
  keyId: string,
  unit: 'hour' | 'day',
  since: Date,
): Promise<{ at: Date; accepted: number; refused: number; failed: number }[]> {
  const at = sql<Date>`date_trunc(${sql.raw(`'${unit}'`)}, ${keyUsage.hour}, 'UTC')`.mapWith(keyUsage.hour);
  return db
    .select({
      at,
      accepted: sql<number>`sum(${keyUsage.accepted})::int`,
      refused: sql<number>`sum(${keyUsage.refused})::int`,
      failed: sql<number>`sum(${keyUsage.failed})::int`,
    })
    .from(keyUsage)
    .where(and(eq(keyUsage.orgId, orgId), eq(keyUsage.keyId, keyId), gte(keyUsage.hour, since)))
    .groupBy(at)
    .orderBy(at);
}

export async function countKeyRequests(db: Db, orgId: string, keyId: string, since: Date): Promise<number> {
  const [row] = await db
    .select({ many: sql<number>`coalesce(sum(accepted + refused + failed), 0)::int` })
    .from(keyUsage)
    .where(and(eq(keyUsage.orgId, orgId), eq(keyUsage.keyId, keyId), gte(keyUsage.hour, since)));
  return row!.many;
}

export async function listNewestRequests(
  db: Db,
  orgId: string,
  keyId: string,
  limit: number,
): Promise<LoggedRequest[]> {
  return db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.orgId, orgId), eq(requestLog.keyId, keyId)))
    .orderBy(...newestFirst(requestLog.at, requestLog.id))
    .limit(limit);
}

/**
 * One organization stores at most this many requests, so that no organization can fill the disk. The log of an
 * organization shows at most this many requests.
 */
export const STORED_REQUESTS = 50_000;

/**
 * Removes requests beyond the newest of each organization, at most `limit` rows in each call. A call continues with the
 * last organization of the previous call, because a call reads the newest requests of each organization.
 */
export function createRequestTrimmer(newest = STORED_REQUESTS) {
  let from = '';
  return async (pool: pg.Pool, limit: number): Promise<number> => {
    const { rows } = await pool.query<{ org_id: string }>(
      `DELETE FROM request_log WHERE (org_id, id) IN (
      SELECT l.org_id, l.id FROM organization o
      CROSS JOIN LATERAL (SELECT id FROM request_log WHERE org_id = o.id ORDER BY id DESC OFFSET $2 LIMIT 1) oldest
      JOIN request_log l ON l.org_id = o.id AND l.id <= oldest.id WHERE o.id >= $3 ORDER BY o.id LIMIT $1)
      RETURNING org_id`,
      [limit, newest, from],
    );
    const last = rows.reduce((greatest, { org_id }) => (org_id > greatest ? org_id : greatest), '');
    from = rows.length < limit ? '' : last;
    return rows.length;
  };
}

/** Removes rows that are too old to be shown, at most `limit` rows of each kind. */
export async function forgetUsage(pool: pg.Pool, limit: number): Promise<number> {
  const requests = await pool.query(
    `DELETE FROM request_log WHERE (org_id, id) IN (
      SELECT org_id, id FROM request_log WHERE at < now() - make_interval(days => ${KEPT_DAYS}) LIMIT $1)`,
    [limit],
  );
  await pool.query(`DELETE FROM key_usage WHERE hour < now() - make_interval(days => ${KEPT_DAYS})`);
  return requests.rowCount ?? 0;
}
