import { and, eq, getTableColumns, ilike, isNull, or, type SQL, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Leak } from '../../../contract/leaks.ts';
import type { KeyScope, Permission, Plan } from '../../../contract/permissions.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { agent } from '../schema/agent.ts';
import { apiKey } from '../schema/api-key.ts';
import { campaign } from '../schema/campaign.ts';
import { organization } from '../schema/identity.ts';
import { apiKeyDigest } from '../schema/installation.ts';

/** A key with the names of what it is bound to, deleted or not. */
export type ApiKeyRow = typeof apiKey.$inferSelect & { agentName: string | null; campaignName: string | null };

export type NewApiKey = {
  id: string;
  label: string;
  prefix: string;
  scope: KeyScope;
  agentId: string | null;
  campaignId: string | null;
  permissions: Permission[];
  allowedNetworks: string[] | null;
  createdBy: string;
  rotatedFrom: string | null;
  revokeAt: Date | null;
};

export async function insertApiKey(tx: Queryable, orgId: string, key: NewApiKey, digest: Buffer): Promise<void> {
  await tx.insert(apiKey).values({ orgId, ...key });
  await tx.insert(apiKeyDigest).values({ digest, orgId, keyId: key.id });
}

/** What decides whether a key may be made: the plan, and whether what it is bound to is there. */
export async function readKeyConditions(
  tx: Queryable,
  orgId: string,
  targets: { agentId: string | null; campaignId: string | null },
): Promise<{ plan: Plan; hasAgent: boolean; hasCampaign: boolean } | null> {
  const [row] = await tx
    .select({
      plan: sql<Plan>`${organization.plan}`,
      hasAgent: sql<boolean>`EXISTS (SELECT 1 FROM ${agent} a
        WHERE a.org_id = ${orgId} AND a.id = ${targets.agentId} AND a.deleted_at IS NULL)`,
      hasCampaign: sql<boolean>`EXISTS (SELECT 1 FROM ${campaign} c
        WHERE c.org_id = ${orgId} AND c.id = ${targets.campaignId} AND c.deleted_at IS NULL)`,
    })
    .from(organization)
    .where(eq(organization.id, orgId));
  return row ?? null;
}

export type ApiKeyFilter = {
  /** Part of the label, or the beginning of the shown prefix. */
  text?: string | undefined;
  scope?: KeyScope | undefined;
  permission?: Permission | undefined;
  state?: 'active' | 'revoked' | undefined;
  agentId?: string | undefined;
  campaignId?: string | undefined;
};

export async function readApiKey(db: Queryable, orgId: string, id: string): Promise<ApiKeyRow | null> {
  const rows = await selectKeys(db, and(eq(apiKey.orgId, orgId), eq(apiKey.id, id)));
  return rows[0] ?? null;
}

export async function listApiKeys(
  db: Queryable,
  orgId: string,
  filter: ApiKeyFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<ApiKeyRow>> {
  const text = filter.text?.replace(/[\\%_]/g, '\\$&');
  const rows = await selectKeys(
    db,
    and(
      eq(apiKey.orgId, orgId),
      text === undefined ? undefined : or(ilike(apiKey.label, `%${text}%`), ilike(apiKey.prefix, `${text}%`)),
      filter.scope === undefined ? undefined : eq(apiKey.scope, filter.scope),
      filter.permission === undefined ? undefined : sql`${filter.permission} = ANY (${apiKey.permissions})`,
      filter.agentId === undefined ? undefined : eq(apiKey.agentId, filter.agentId),
      filter.campaignId === undefined ? undefined : eq(apiKey.campaignId, filter.campaignId),
      filter.state === undefined ? undefined : filter.state === 'active' ? isActive : sql`NOT ${isActive}`,
      behind(apiKey.createdAt, apiKey.id, after),
    ),
  )
    .orderBy(...newestFirst(apiKey.createdAt, apiKey.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

export async function renameApiKey(tx: Queryable, orgId: string, id: string, label: string): Promise<boolean> {
  const renamed = await tx.update(apiKey).set({ label }).where(oneKey(orgId, id)).returning({ id: apiKey.id });
  return renamed.length > 0;
}

/** False when the key is revoked. A database trigger refuses networks that lie outside the ones before. */
export async function shortenKeyNetworks(
  tx: Queryable,
  orgId: string,
  id: string,
  allowedNetworks: string[],
): Promise<boolean> {
  const shortened = await tx
    .update(apiKey)
    .set({ allowedNetworks })
    .where(and(oneKey(orgId, id), isActive))
    .returning({ id: apiKey.id });
  return shortened.length > 0;
}

/** False when it was revoked before. `seq`: the revoke's place in the change log. */
export async function revokeApiKey(
  tx: Queryable,
  orgId: string,
  id: string,
  by: { userId: string; seq: number; leak?: Leak | null },
): Promise<boolean> {
  const revoked = await tx
    .update(apiKey)
    .set({ revokedAt: sql`clock_timestamp()`, revokedBy: by.userId, revokedSeq: by.seq, leak: by.leak ?? null })
    .where(and(oneKey(orgId, id), isNull(apiKey.revokedAt)))
    .returning({ id: apiKey.id });
  return revoked.length > 0;
}

/** Those of the digests that belong to a key which is not revoked. */
export async function findActiveKeys(
  db: Queryable,
  digests: readonly Buffer[],
): Promise<(KeyName & { digest: Buffer })[]> {
  const found = await db.execute<KeyName & { digest: Buffer }>(sql`
    SELECT d.org_id AS "orgId", d.key_id AS id, d.digest FROM api_key_digest d
    JOIN api_key k ON k.org_id = d.org_id AND k.id = d.key_id
    WHERE d.digest = ANY (${sql.param(digests)}::bytea[]) AND k.revoked_at IS NULL`);
  return found.rows;
}

/** Sets the end of an active key, never later than the one it has; false when it is revoked. */
export async function scheduleRevoke(tx: Queryable, orgId: string, id: string, at: Date): Promise<boolean> {
  const scheduled = await tx
    .update(apiKey)
    .set({ revokeAt: sql`least(${apiKey.revokeAt}, ${at})` })
    .where(and(oneKey(orgId, id), isActive))
    .returning({ id: apiKey.id });
  return scheduled.length > 0;
}

/**
 * Stamps the moment from which no node accepts these keys, if they were revoked at `seq` or before; a stamp that is
 * there stays. A failover may have lost the revoke that was waited for, and another one may have come since.
 */
export async function markEffective(db: Queryable, keys: readonly KeyName[], seq: number): Promise<void> {
  await db.execute(sql`
    UPDATE api_key k SET effective_at = clock_timestamp()
    FROM unnest(${sql.param(keys.map((key) => key.orgId))}::text[], ${sql.param(keys.map((key) => key.id))}::text[]) AS u(org_id, id)
    WHERE k.org_id = u.org_id AND k.id = u.id AND k.revoked_at IS NOT NULL AND k.effective_at IS NULL
      AND coalesce(k.revoked_seq, 0) <= ${seq}`);
}

export type KeyName = { orgId: string; id: string };

/** Keys whose scheduled end has come, and keys that were revoked past the change log (by hand, in SQL). */
export async function readDueRevokes(db: Queryable, limit: number): Promise<KeyName[]> {
  const due = await db.execute<KeyName>(sql`
    (SELECT org_id AS "orgId", id FROM api_key
      WHERE revoke_at IS NOT NULL AND revoked_at IS NULL AND revoke_at <= now() ORDER BY revoke_at LIMIT ${limit})
    UNION ALL
    (SELECT org_id, id FROM api_key
      WHERE revoked_at IS NOT NULL AND effective_at IS NULL AND revoked_seq IS NULL ORDER BY revoked_at LIMIT ${limit})`);
  return due.rows;
}

/** Revokes those of `keys` that are due; returns the ones that were not revoked before. */
export async function revokeDue(tx: Queryable, keys: readonly KeyName[], by: { userId: string; seq: number }) {
  const revoked = await tx.execute<KeyName & { wasActive: boolean }>(sql`
    WITH due AS (
      SELECT k.org_id, k.id, k.revoked_at IS NULL AS was_active FROM api_key k
      JOIN unnest(${sql.param(keys.map((key) => key.orgId))}::text[], ${sql.param(keys.map((key) => key.id))}::text[]) AS u(org_id, id)
        ON k.org_id = u.org_id AND k.id = u.id
      WHERE (k.revoked_at IS NULL AND k.revoke_at <= now()) OR (k.revoked_at IS NOT NULL AND k.revoked_seq IS NULL)
      ORDER BY k.id FOR UPDATE OF k)
    UPDATE api_key k SET revoked_at = coalesce(k.revoked_at, clock_timestamp()),
      revoked_by = coalesce(k.revoked_by, ${by.userId}), revoked_seq = ${by.seq}
    FROM due WHERE k.org_id = due.org_id AND k.id = due.id
    RETURNING k.org_id AS "orgId", k.id, due.was_active AS "wasActive"`);
  return revoked.rows.filter((row) => row.wasActive);
}

/** Keys that are still "revoking". */
export async function readUnfinishedRevokes(db: Queryable, limit: number): Promise<(KeyName & { seq: number })[]> {
  const unfinished = await db.execute<KeyName & { seq: string }>(sql`
    SELECT org_id AS "orgId", id, revoked_seq AS seq FROM api_key
    WHERE revoked_at IS NOT NULL AND effective_at IS NULL AND revoked_seq IS NOT NULL ORDER BY revoked_at LIMIT ${limit}`);
  return unfinished.rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** At most one write a minute for each key over all nodes, and never backwards (a database trigger holds that, too). */
export async function writeLastUsed(
  client: pg.Pool,
  uses: readonly { orgId: string; keyId: string; at: Date; isLast: boolean }[],
): Promise<void> {
  await client.query({
    name: 'key-last-used',
    text: `UPDATE api_key k SET last_used_at = u.at
      FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::bool[]) AS u(org_id, id, at, is_last)
      WHERE k.org_id = u.org_id AND k.id = u.id AND (k.last_used_at IS NULL OR
        u.at >= k.last_used_at + CASE WHEN u.is_last THEN interval '1 millisecond' ELSE interval '1 minute' END)`,
    values: [
      uses.map((use) => use.orgId),
      uses.map((use) => use.keyId),
      uses.map((use) => use.at),
      uses.map((use) => use.isLast),
    ],
  });
}

const isActive = sql`(revoked_at IS NULL AND (revoke_at IS NULL OR revoke_at > now()))`;

const oneKey = (orgId: string, id: string) => and(eq(apiKey.orgId, orgId), eq(apiKey.id, id));

const selectKeys = (db: Queryable, where: SQL | undefined) =>
  db
    .select({
      ...getTableColumns(apiKey),
      agentName: agent.name,
      campaignName: campaign.name,
    })
    .from(apiKey)
    .leftJoin(agent, and(eq(agent.orgId, apiKey.orgId), eq(agent.id, apiKey.agentId)))
    .leftJoin(campaign, and(eq(campaign.orgId, apiKey.orgId), eq(campaign.id, apiKey.campaignId)))
    .where(where);
