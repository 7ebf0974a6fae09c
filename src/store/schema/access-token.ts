import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * An access token of a person or of the organization, for the dashboard's routes (docs/adr/0107). The value of an
 * access token is not stored. The database stores only the HMAC of the value, in `access_token_digest`. The token's
 * rights never change, and `revoked` is final. A database trigger (migrations) enforces both rules.
 */
export const accessToken = pgTable(
  'access_token',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    label: text('label').notNull(),
    prefix: text('prefix').notNull(),
    kind: text('kind').notNull(),
    /**
     * The owner of the token. For a token of the organization, the owner is the responsible person, who alone has seen
     * the value.
     */
    userId: text('user_id').notNull(),
    /** The role of a token of the organization. Null: at each request, the token has the current role of its person. */
    role: text('role'),
    verbs: text('verbs').array().notNull(),
    /** Null: all agents. */
    agentIds: text('agent_ids').array(),
    /**
     * True: the token was created in a session of the organization's sign-in provider, and ends with these sessions.
     */
    byProvider: boolean('by_provider').notNull(),
    /**
     * True: the token was created in a session with a confirmed second factor. The value becomes false when the last
     * second factor of the account is removed.
     */
    signInFactor: boolean('sign_in_factor').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    revokedBy: text('revoked_by'),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('access_token_user')
      .on(table.userId)
      .where(sql`revoked_at IS NULL`),
    check('access_token_kind', sql`kind IN ('person', 'organization')`),
    check(
      'access_token_role',
      sql`(kind = 'organization') = (role IS NOT NULL) AND (role IS NULL OR role IN ('member', 'viewer'))`,
    ),
    check('access_token_verbs', sql`cardinality(verbs) > 0 AND verbs <@ ARRAY['read', 'test', 'push', 'publish']`),
    check('access_token_agents', sql`agent_ids IS NULL OR cardinality(agent_ids) BETWEEN 1 AND 50`),
  ],
);

/** Maps the digest of a value to the token, like `api_key_digest`. */
export const accessTokenDigest = pgTable(
  'access_token_digest',
  {
    digest: bytes('digest').primaryKey(),
    orgId: text('org_id').notNull(),
    tokenId: text('token_id').notNull(),
    generation: integer('generation').notNull().default(0),
  },
  (table) => [index('access_token_digest_token').on(table.orgId, table.tokenId)],
);
