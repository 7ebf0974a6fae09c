import { and, eq, gt, sql } from 'drizzle-orm';
import type pg from 'pg';
import { byCell } from '../cells/by-cell.ts';
import type { Db, Queryable } from '../db.ts';
import { apiKey, apiKeyUse } from '../schema/api-key.ts';

/**
 * The calls of a key's `total`. Nodes reserve blocks of a key's calls: `reserved` of the row counts every call that was
 * made, and every call that a node may still make from its block.
 */
export type BlockWanted = {
  orgId: string;
  keyId: string;
  /** The number of calls that wait for the block now. */
  atLeast: number;
  atMost: number;
  /** A block has at most this part of the remaining calls, so that other nodes can use the last calls. */
  share: number;
};

/**
 * Reserves calls, and returns their number. 0: no call is left. A key that was replaced in a rotation, and has not
 * ended yet, uses calls of the new key. Returned calls become calls of the old key, so the sum of both keys stays the
 * same.
 */
export async function reserveCalls(db: Db, wanted: BlockWanted): Promise<number> {
  const calls = await reserveOwn(db.$client, wanted);
  if (calls > 0) return calls;
  const keyId = await findReplacement(db, wanted.orgId, wanted.keyId);
  return keyId === null ? 0 : reserveCalls(db, { ...wanted, keyId });
}

async function reserveOwn(client: pg.Pool, wanted: BlockWanted): Promise<number> {
  const reserved = await client.query<{ calls: number }>({
    name: 'reserve-calls',
    text: `WITH block AS (
        SELECT u.org_id, u.key_id,
          least(k.total - u.reserved, greatest($3::int, least($4::int, (k.total - u.reserved) / $5::int))) AS calls
        FROM api_key_use u JOIN api_key k ON k.org_id = u.org_id AND k.id = u.key_id
        WHERE u.org_id = $1 AND u.key_id = $2 FOR UPDATE OF u)
      UPDATE api_key_use u SET reserved = u.reserved + block.calls FROM block
      WHERE u.org_id = block.org_id AND u.key_id = block.key_id AND block.calls > 0
      RETURNING block.calls`,
    values: [wanted.orgId, wanted.keyId, wanted.atLeast, wanted.atMost, wanted.share],
  });
  return reserved.rows[0]?.calls ?? 0;
}

/** Finds the key that replaces this key after a rotation. */
export async function findReplacement(db: Queryable, orgId: string, id: string): Promise<string | null> {
  const [row] = await db
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(and(eq(apiKey.orgId, orgId), eq(apiKey.rotatedFrom, id)))
    .orderBy(apiKey.id)
    .limit(1);
  return row?.id ?? null;
}

/** Finds the keys that this key has replaced in rotations and that may not have ended, the newest first. */
export async function findReplaced(db: Queryable, orgId: string, id: string): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | null = id; next !== null;) {
    const [row]: { from: string | null }[] = await db
      .select({ from: apiKey.rotatedFrom })
      .from(apiKey)
      .where(and(eq(apiKey.orgId, orgId), eq(apiKey.id, next), gt(apiKey.createdAt, sql`now() - ${LONGEST_OVERLAP}`)));
    next = row?.from ?? null;
    if (next !== null) found.push(next);
  }
  return found;
}

/** An overlap has at most seven days. Clocks may differ. */
const LONGEST_OVERLAP = sql`interval '8 days'`;
/** The number is above the number of calls that all nodes together return. */
const NEVER_RETURNED = 1_000_000;

/**
 * Uses up the calls of replaced keys. Afterwards, a replaced key uses only calls of the key that replaced it. If a node
 * later returns calls that it had reserved for a replaced key, these calls stay used up.
 */
export async function endOwnCalls(tx: Queryable, orgId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`WITH ended AS (
      SELECT u.org_id, u.key_id, k.total FROM api_key_use u JOIN api_key k ON k.org_id = u.org_id AND k.id = u.key_id
      WHERE u.org_id = ${orgId} AND u.key_id = ANY (${sql.param([...ids])}::text[]) AND k.total IS NOT NULL
      ORDER BY u.key_id FOR UPDATE OF u)
    UPDATE api_key_use u SET reserved = greatest(u.reserved, ended.total + ${NEVER_RETURNED}::int) FROM ended
    WHERE u.org_id = ended.org_id AND u.key_id = ended.key_id`);
}

/** Reserves all calls that no node has reserved, and returns their number. */
export async function takeRemaining(tx: Queryable, orgId: string, keyId: string): Promise<number> {
  const taken = await tx.execute<{ calls: number }>(sql`WITH before AS (
      SELECT u.org_id, u.key_id, greatest(k.total - u.reserved, 0) AS calls
      FROM api_key_use u JOIN api_key k ON k.org_id = u.org_id AND k.id = u.key_id
      WHERE u.org_id = ${orgId} AND u.key_id = ${keyId} FOR UPDATE OF u)
    UPDATE api_key_use u SET reserved = u.reserved + before.calls FROM before
    WHERE u.org_id = before.org_id AND u.key_id = before.key_id
    RETURNING before.calls`);
  return taken.rows[0]?.calls ?? 0;
}

export type ReturnedCalls = { orgId: string; keyId: string; calls: number };

/**
 * Returns reserved calls that were not made. Never repeat this function: if its outcome is unknown, the calls are lost.
 */
export async function returnCalls(client: pg.Pool, returned: readonly ReturnedCalls[]): Promise<void> {
  await byCell(
    client,
    returned,
    ({ orgId }) => orgId,
    (some) => giveBack(client, some),
  );
}

async function giveBack(client: pg.Pool, returned: readonly ReturnedCalls[]): Promise<[]> {
  await client.query({
    name: 'return-calls',
    // All nodes lock the rows in one order, to avoid deadlocks.
    text: `WITH block AS (
        SELECT u.org_id, u.key_id, w.calls FROM unnest($1::text[], $2::text[], $3::int[]) AS w(org_id, key_id, calls)
        JOIN api_key_use u ON u.org_id = w.org_id AND u.key_id = w.key_id ORDER BY u.key_id FOR UPDATE OF u)
      UPDATE api_key_use u SET reserved = greatest(u.reserved - block.calls, 0) FROM block
      WHERE u.org_id = block.org_id AND u.key_id = block.key_id`,
    values: [
      returned.map(({ orgId }) => orgId),
      returned.map(({ keyId }) => keyId),
      returned.map(({ calls }) => calls),
    ],
  });
  return [];
}

/** The number of calls that the key can use and no node has reserved. Null: the key has no total. */
export async function readUnreserved(db: Queryable, orgId: string, keyId: string): Promise<number | null> {
  const [row] = await db
    .select({ remaining: REMAINING })
    .from(apiKey)
    .leftJoin(apiKeyUse, withUse)
    .where(and(eq(apiKey.orgId, orgId), eq(apiKey.id, keyId)));
  const own = row?.remaining ?? null;
  const replacement = own === null ? null : await findReplacement(db, orgId, keyId);
  return replacement === null ? own : own! + ((await readUnreserved(db, orgId, replacement)) ?? 0);
}

/**
 * The remaining calls of a key, for a query that is joined by `withUse`. A lowered total may be below the number of
 * calls that were already made.
 */
export const REMAINING = sql<number | null>`CASE WHEN ${apiKey.total} IS NOT NULL
  THEN greatest(${apiKey.total} - coalesce(${apiKeyUse.reserved}, 0), 0) END`;

export const withUse = and(eq(apiKeyUse.orgId, apiKey.orgId), eq(apiKeyUse.keyId, apiKey.id));

/** Starts to count the calls of the key. */
export async function countCalls(tx: Queryable, orgId: string, keyId: string): Promise<void> {
  await tx.insert(apiKeyUse).values({ orgId, keyId }).onConflictDoNothing();
}
