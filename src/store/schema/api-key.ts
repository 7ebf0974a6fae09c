import { sql } from 'drizzle-orm';
import { bigint, check, cidr, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Leak } from '../../../contract/leak-report.ts';
import { agent } from './agent.ts';
import { campaign } from './campaign.ts';
import { bytes, createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * An API key. The value of an API key is not stored. The database stores only the HMAC of the value, in
 * `api_key_digest`. The scope and rights of a key never change, its networks can only become narrower, and `revoked` is
 * final. A database trigger (migrations) enforces these rules for keys.
 */
export const apiKey = pgTable(
  'api_key',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    label: text('label').notNull(),
    prefix: text('prefix').notNull(),
    scope: text('scope').notNull(),
    agentId: text('agent_id'),
    campaignId: text('campaign_id'),
    permissions: text('permissions').array().notNull(),
    /**
     * The networks from which the key may be used. Null: the key may be used from all networks. Networks can become
     * narrower, but never wider.
     */
    allowedNetworks: cidr('allowed_networks').array(),
    /**
     * The limits of this key. Null if the key has no limit of this kind. Limits can be lowered, but never raised or
     * removed.
     */
    perMinute: integer('per_minute'),
    perEndUserPerMinute: integer('per_end_user_per_minute'),
    total: integer('total'),
    createdAt: createdAt(),
    createdBy: text('created_by'),
    /** The key that this key replaces. */
    rotatedFrom: text('rotated_from'),
    /** The time of a scheduled revoke, which is the end of a rotation's overlap or the expiry. */
    revokeAt: moment('revoke_at'),
    revokedAt: moment('revoked_at'),
    revokedBy: text('revoked_by'),
    /** The position of the revoke in the change log. A node that has read up to this position refuses the key. */
    revokedSeq: bigint('revoked_seq', { mode: 'number' }),
    /** After this time, no node accepts the key. Null while the state of the key is "revoking". */
    effectiveAt: moment('effective_at'),
    /** The report that the key was found in public, if the report led to the revoke. */
    leak: jsonb('leak').$type<Leak>(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    foreignKey({ columns: [table.orgId, table.campaignId], foreignColumns: [campaign.orgId, campaign.id] }),
    index('api_key_revoke_due')
      .on(table.revokeAt)
      .where(sql`revoke_at IS NOT NULL AND revoked_at IS NULL`),
    index('api_key_revoking')
      .on(table.revokedAt)
      .where(sql`revoked_at IS NOT NULL AND effective_at IS NULL`),
    check('api_key_scope', sql`scope IN ('organization', 'agent', 'campaign')`),
    check(
      'api_key_target',
      sql`(scope = 'agent') = (agent_id IS NOT NULL) AND (scope = 'campaign') = (campaign_id IS NOT NULL)`,
    ),
    check(
      'api_key_allowed_networks',
      sql`cardinality(allowed_networks) BETWEEN 1 AND 50 AND array_position(allowed_networks, NULL) IS NULL`,
    ),
    check(
      'api_key_permissions',
      sql`cardinality(permissions) > 0 AND permissions <@ ARRAY['triggers', 'channels', 'end_users', 'campaigns']`,
    ),
  ],
);

/**
 * Maps the digest of a key value to the key. The caller's organization is not known before this look-up, so the table's
 * key does not contain the organization (a reference table in Citus).
 */
export const apiKeyDigest = pgTable(
  'api_key_digest',
  {
    digest: bytes('digest').primaryKey(),
    orgId: text('org_id').notNull(),
    keyId: text('key_id').notNull(),
    /** The link of the key chain at which the digest ends (kernel/key-chain.ts). */
    generation: integer('generation').notNull().default(0),
  },
  (table) => [index('api_key_digest_key').on(table.orgId, table.keyId)],
);

/**
 * The number of calls of a key's `total` that nodes have reserved, which are the calls that were made and the rest of
 * the blocks.
 */
export const apiKeyUse = pgTable(
  'api_key_use',
  {
    orgId: orgId(),
    keyId: text('key_id').notNull(),
    reserved: integer('reserved').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.keyId] }),
    foreignKey({ columns: [table.orgId, table.keyId], foreignColumns: [apiKey.orgId, apiKey.id] }),
    check('api_key_use_reserved', sql`reserved >= 0`),
  ],
);
