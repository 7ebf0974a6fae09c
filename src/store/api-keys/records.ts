import type pg from 'pg';
import type { KeyScope, Permission, Plan } from '../../../contract/permissions.ts';
import type { VariableDeclaration } from '../../../contract/triggers.ts';
import { hasCells } from '../cells/cell-pool.ts';

/** Reads the records for access decisions, each in one round trip and always from the primary. */
export type StoredKey = {
  id: string;
  orgId: string;
  orgName: string;
  plan: Plan;
  label: string;
  prefix: string;
  scope: KeyScope;
  agentId: string | null;
  campaignId: string | null;
  permissions: Permission[];
  allowedNetworks: string[] | null;
  perMinute: number | null;
  perEndUserPerMinute: number | null;
  total: number | null;
  revokeAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
};

const KEY = `k.id, k.org_id AS "orgId", o.name AS "orgName", o.plan, k.label, k.prefix, k.scope,
        k.agent_id AS "agentId", k.campaign_id AS "campaignId", k.permissions,
        k.allowed_networks AS "allowedNetworks", k.per_minute AS "perMinute",
        k.per_end_user_per_minute AS "perEndUserPerMinute", k.total,
        k.revoke_at AS "revokeAt", k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"`;

/** The key of a client token, and its organization. Null if the key does not exist. */
export async function readKeyById(client: pg.Pool, orgId: string, id: string): Promise<StoredKey | null> {
  const found = await client.query<StoredKey>({
    name: 'access-key-by-id',
    text: `SELECT ${KEY}
      FROM api_key k
      JOIN organization o ON o.id = k.org_id
      WHERE k.org_id = $1 AND k.id = $2`,
    values: [orgId, id],
  });
  return found.rows[0] ?? null;
}

/** Returns the key with one of the given digests, and its organization. Null if the key does not exist. */
export async function readKeyByDigest(client: pg.Pool, digests: readonly Buffer[]): Promise<StoredKey | null> {
  if (hasCells(client)) return readKeyInCell(client, digests);
  const found = await client.query<StoredKey>({
    name: 'access-key',
    text: `SELECT ${KEY}
      FROM api_key_digest d
      JOIN api_key k ON k.org_id = d.org_id AND k.id = d.key_id
      JOIN organization o ON o.id = d.org_id
      WHERE d.digest = ANY ($1::bytea[])`,
    values: [digests],
  });
  return found.rows[0] ?? null;
}

/** The digest is in the region, and the key is in the cell of its organization. */
async function readKeyInCell(client: pg.Pool, digests: readonly Buffer[]): Promise<StoredKey | null> {
  const found = await client.query<{ org_id: string; key_id: string }>({
    name: 'access-key-place',
    text: 'SELECT org_id, key_id FROM api_key_digest WHERE digest = ANY ($1::bytea[])',
    values: [digests],
  });
  const place = found.rows[0];
  return place ? readKeyById(client, place.org_id, place.key_id) : null;
}

export type TargetIds = {
  agent: string | null;
  trigger: string | null;
  channel: string | null;
  campaign: string | null;
};

export type TargetRecords = {
  agent: { id: string; name: string; enabled: boolean; sandboxChannelId: string | null } | null;
  trigger: {
    id: string;
    agentId: string;
    name: string;
    enabled: boolean;
    variables: VariableDeclaration[];
    channelId: string | null;
    agentVersion: number | null;
  } | null;
  channel: { id: string; agentId: string; kind: string; name: string; enabled: boolean } | null;
  campaign: { id: string; agentId: string; channelId: string; state: string } | null;
};

/** Returns the organization's records with the given IDs, without deleted records. */
export async function readTargets(client: pg.Pool, orgId: string, ids: TargetIds): Promise<TargetRecords> {
  const found = await client.query<TargetRecords>({
    name: 'access-targets',
    text: `SELECT
      (SELECT json_build_object('id', a.id, 'name', a.name, 'enabled', a.enabled, 'sandboxChannelId',
          (SELECT c.id FROM channel c WHERE c.org_id = a.org_id AND c.agent_id = a.id AND c.kind = 'sandbox'
             AND c.deleted_at IS NULL ORDER BY c.id LIMIT 1))
        FROM agent a WHERE a.org_id = $1 AND a.id = $2 AND a.deleted_at IS NULL) AS agent,
      (SELECT json_build_object('id', t.id, 'agentId', t.agent_id, 'name', t.name, 'enabled', t.enabled,
          'variables', t.variables, 'channelId', t.channel_id, 'agentVersion', t.agent_version)
        FROM trigger t WHERE t.org_id = $1 AND t.id = $3 AND t.deleted_at IS NULL) AS trigger,
      (SELECT json_build_object('id', c.id, 'agentId', c.agent_id, 'kind', c.kind, 'name', c.name, 'enabled', c.enabled)
        FROM channel c WHERE c.org_id = $1 AND c.id = $4 AND c.deleted_at IS NULL) AS channel,
      (SELECT json_build_object('id', p.id, 'agentId', p.agent_id, 'channelId', p.channel_id, 'state', p.state)
        FROM campaign p WHERE p.org_id = $1 AND p.id = $5 AND p.deleted_at IS NULL) AS campaign`,
    values: [orgId, ids.agent, ids.trigger, ids.channel, ids.campaign],
  });
  return found.rows[0]!;
}
