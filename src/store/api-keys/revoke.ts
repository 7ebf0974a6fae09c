import { and, isNull, sql } from 'drizzle-orm';
import type { Leak } from '../../../contract/leak-report.ts';
import { byCell, foundByCell, inEachReachableCell, staying } from '../cells/by-cell.ts';
import type { Queryable } from '../db.ts';
import { apiKey } from '../schema/api-key.ts';
import { isActive, oneKey } from './read.ts';

type KeyName = { orgId: string; id: string };

/** Returns false if the key was revoked before. `seq`: the position of the revoke in the change log. */
export async function revokeApiKey(
  tx: Queryable,
  orgId: string,
  id: string,
  by: { userId: string; seq: number; leak?: Leak | null },
): Promise<boolean> {
  const revoked = await tx
    .update(apiKey)
    .set({ revokedAt: sql`statement_timestamp()`, revokedBy: by.userId, revokedSeq: by.seq, leak: by.leak ?? null })
    .where(and(oneKey(orgId, id), isNull(apiKey.revokedAt)))
    .returning({ id: apiKey.id });
  return revoked.length > 0;
}

/** Returns the active keys that have one of the given digests. */
export async function findActiveKeys(
  db: Queryable,
  digests: readonly Buffer[],
): Promise<(KeyName & { digest: Buffer })[]> {
  const known = await db.execute<KeyName & { digest: Buffer }>(sql`
    SELECT org_id AS "orgId", key_id AS id, digest FROM api_key_digest
    WHERE digest = ANY (${sql.param(digests)}::bytea[])`);
  const active = await foundByCell(
    db,
    known.rows,
    ({ orgId }) => orgId,
    async (keys) => {
      const found = await db.execute<KeyName>(sql`SELECT k.org_id AS "orgId", k.id FROM ${listOf(keys)}
      JOIN api_key k ON k.org_id = u.org_id AND k.id = u.id WHERE k.revoked_at IS NULL`);
      return found.rows;
    },
  );
  const names = new Set(active.map(nameOf));
  return known.rows.filter((key) => names.has(nameOf(key)));
}

const nameOf = ({ orgId, id }: KeyName): string => `${orgId} ${id}`;

const listOf = (keys: readonly KeyName[]) => sql`unnest(${sql.param(keys.map((key) => key.orgId))}::text[],
      ${sql.param(keys.map((key) => key.id))}::text[]) AS u(org_id, id)`;

/** Sets the end of an active key, but never later than its current end. Returns false if the key is revoked. */
export async function scheduleRevoke(tx: Queryable, orgId: string, id: string, at: Date): Promise<boolean> {
  const scheduled = await tx
    .update(apiKey)
    .set({ revokeAt: sql`least(${apiKey.revokeAt}, ${at})` })
    .where(and(oneKey(orgId, id), isActive))
    .returning({ id: apiKey.id });
  return scheduled.length > 0;
}

/**
 * Stores the time since which no node accepts the given keys, if the keys were revoked at `seq` or before. A time that
 * is already stored does not change. A failover may have lost the revoke for which the caller waited, and a later
 * revoke may have followed.
 */
export async function markEffective(db: Queryable, keys: readonly KeyName[], seq: number): Promise<void> {
  await byCell(
    db,
    keys,
    ({ orgId }) => orgId,
    async (some) => {
      await db.execute(sql`UPDATE api_key k SET effective_at = statement_timestamp() FROM ${listOf(some)}
      WHERE k.org_id = u.org_id AND k.id = u.id AND k.revoked_at IS NOT NULL AND k.effective_at IS NULL
        AND coalesce(k.revoked_seq, 0) <= ${seq}`);
      return [];
    },
  );
}

/**
 * `due`: keys whose scheduled end has passed, and keys that were revoked without the change log (by hand, in SQL).
 * `unfinished`: keys whose state is still "revoking". One statement reads both lists, because every node asks for them
 * each second.
 */
export async function readOpenRevokes(
  db: Queryable,
  limit: number,
): Promise<{ due: KeyName[]; unfinished: (KeyName & { seq: number })[] }> {
  const found = await inEachReachableCell(db, (cell) => openRevokesIn(cell, limit));
  const open = staying(db, found.flat());
  return {
    due: open.filter(({ seq }) => seq === null),
    unfinished: open.flatMap(({ seq, ...key }) => (seq === null ? [] : [{ ...key, seq: Number(seq) }])),
  };
}

async function openRevokesIn(db: Queryable, limit: number): Promise<(KeyName & { seq: string | null })[]> {
  const open = await db.execute<KeyName & { seq: string | null }>(sql`
    (SELECT org_id AS "orgId", id, NULL::bigint AS seq FROM api_key
      WHERE revoke_at IS NOT NULL AND revoked_at IS NULL AND revoke_at <= now() ORDER BY revoke_at LIMIT ${limit})
    UNION ALL
    (SELECT org_id, id, NULL FROM api_key
      WHERE revoked_at IS NOT NULL AND effective_at IS NULL AND revoked_seq IS NULL ORDER BY revoked_at
        LIMIT ${limit})
    UNION ALL
    (SELECT org_id, id, revoked_seq FROM api_key
      WHERE revoked_at IS NOT NULL AND effective_at IS NULL AND revoked_seq IS NOT NULL ORDER BY revoked_at
        LIMIT ${limit})`);
  return open.rows;
}

/**
 * Revokes the keys in `keys` that are due. Returns the keys that were not revoked before. Each organization needs one
 * statement, because a transaction does not know the cells of the organizations. All nodes lock the keys in the order
 * of the list `keys`.
 */
export async function revokeDue(tx: Queryable, keys: readonly KeyName[], by: { userId: string; seq: number }) {
  const revoked: KeyName[] = [];
  const organizations = Map.groupBy(keys, ({ orgId }) => orgId);
  for (const orgId of [...organizations.keys()].sort())
    revoked.push(...(await revokeDueOf(tx, organizations.get(orgId)!, by)));
  return revoked;
}

async function revokeDueOf(tx: Queryable, keys: readonly KeyName[], by: { userId: string; seq: number }) {
  const revoked = await tx.execute<KeyName & { wasActive: boolean }>(sql`
    WITH due AS (
      SELECT k.org_id, k.id, k.revoked_at IS NULL AS was_active FROM api_key k
      JOIN ${listOf(keys)}
        ON k.org_id = u.org_id AND k.id = u.id
      WHERE (k.revoked_at IS NULL AND k.revoke_at <= now()) OR (k.revoked_at IS NOT NULL AND k.revoked_seq IS NULL)
      ORDER BY k.id FOR UPDATE OF k)
    UPDATE api_key k SET revoked_at = coalesce(k.revoked_at, (SELECT statement_timestamp())),
      revoked_by = coalesce(k.revoked_by, ${by.userId}), revoked_seq = ${by.seq}
    FROM due WHERE k.org_id = due.org_id AND k.id = due.id
    RETURNING k.org_id AS "orgId", k.id, due.was_active AS "wasActive"`);
  return revoked.rows.filter((row) => row.wasActive);
}
