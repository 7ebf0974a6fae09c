import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { apiKey, apiKeyDigest } from '../schema/api-key.ts';
import type { Queryable } from '../db.ts';
import { isActive, oneKey } from './read.ts';
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
  createdBy: string;
  rotatedFrom: string | null;
  revokeAt: Date | null;
};

export async function insertApiKey(
  tx: Queryable,
  orgId: string,
  key: NewApiKey,
  digest: Buffer,
  generation: number,
): Promise<void> {
  await tx.insert(apiKey).values({ orgId, ...key });
  await tx.insert(apiKeyDigest).values({ digest, orgId, keyId: key.id, generation });
}

export async function renameApiKey(tx: Queryable, orgId: string, id: string, label: string): Promise<boolean> {
  const renamed = await tx.update(apiKey).set({ label }).where(oneKey(orgId, id)).returning({ id: apiKey.id });
  return renamed.length > 0;
}

/** False when the key is revoked. A database trigger refuses networks outside the previous ones. */
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
