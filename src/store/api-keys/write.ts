import type { KeyLimits } from '../../../contract/key-limits.ts';
import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { apiKey, apiKeyDigest } from '../schema/api-key.ts';
import type { Queryable } from '../db.ts';
import { isActive, oneKey } from './read.ts';
import { countCalls } from './total.ts';
import { and } from 'drizzle-orm';

export type NewApiKey = {
  id: string;
  label: string;
  prefix: string;
  scope: KeyScope;
  agentId: string | null;
  campaignId: string | null;
  permissions: Permission[];
  allowedNetworks: string[] | null;
  limits: KeyLimits | null;
  createdBy: string;
  rotatedFrom: string | null;
  revokeAt: Date | null;
};

export async function insertApiKey(
  tx: Queryable,
  orgId: string,
  { limits, ...key }: NewApiKey,
  digest: Buffer,
  generation: number,
): Promise<void> {
  await tx.insert(apiKey).values({ orgId, ...key, ...limitColumns(limits ?? {}) });
  await tx.insert(apiKeyDigest).values({ digest, orgId, keyId: key.id, generation });
  if (limits?.total !== undefined) await countCalls(tx, orgId, key.id);
}

const limitColumns = (limits: KeyLimits) => ({
  ...(limits.per_minute !== undefined && { perMinute: limits.per_minute }),
  ...(limits.per_end_user_per_minute !== undefined && { perEndUserPerMinute: limits.per_end_user_per_minute }),
  ...(limits.total !== undefined && { total: limits.total }),
});

/** Returns false if the key is revoked. A database trigger refuses a limit above the previous limit. */
export async function lowerKeyLimits(tx: Queryable, orgId: string, id: string, limits: KeyLimits): Promise<boolean> {
  const lowered = await tx
    .update(apiKey)
    .set(limitColumns(limits))
    .where(and(oneKey(orgId, id), isActive))
    .returning({ id: apiKey.id });
  if (limits.total !== undefined && lowered.length > 0) await countCalls(tx, orgId, id);
  return lowered.length > 0;
}

export async function renameApiKey(tx: Queryable, orgId: string, id: string, label: string): Promise<boolean> {
  const renamed = await tx.update(apiKey).set({ label }).where(oneKey(orgId, id)).returning({ id: apiKey.id });
  return renamed.length > 0;
}

/** Returns false if the key is revoked. A database trigger refuses networks outside the previous networks. */
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
