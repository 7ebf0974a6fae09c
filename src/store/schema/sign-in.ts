import { boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/** The OpenID provider by which people of an organization sign in; at most one an organization. */
export const signInProvider = pgTable('sign_in_provider', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  issuer: text('issuer').notNull(),
  clientId: text('client_id').notNull(),
  /** The client secret, sealed under the organization's data key. It belongs to this issuer alone. */
  sealed: text('sealed').notNull(),
  /** The role of whoever joins by signing in for the first time; never owner. */
  defaultRole: text('default_role').notNull(),
  enabled: boolean('enabled').notNull(),
  createdAt: createdAt(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** E-mail domains that an organization claims, each with what must stand in its DNS. */
export const signInDomain = pgTable(
  'sign_in_domain',
  {
    orgId: orgId().references(() => organization.id),
    /** In lower case and ASCII (punycode). */
    domain: text('domain').notNull(),
    token: text('token').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.domain] })],
);

/**
 * Which organization proved a domain: one at most. Whoever signs in says an address only, and the organization is what
 * this look-up finds out, so this table is keyed without it, as `api_key_digest` is.
 */
export const provenDomain = pgTable(
  'proven_domain',
  {
    domain: text('domain').primaryKey(),
    orgId: text('org_id')
      .notNull()
      .references(() => organization.id),
    /** `dns` or `operator`. */
    provenBy: text('proven_by').notNull(),
    provenAt: moment('proven_at').notNull().defaultNow(),
  },
  (table) => [index('proven_domain_organization').on(table.orgId)],
);

/** Who a subject of the organization's provider is here. Goes with the membership, and with the issuer or client. */
export const signInLink = pgTable(
  'sign_in_link',
  {
    orgId: orgId(),
    /** `sub` of the ID token: an address may pass to somebody else, this does not. */
    subject: text('subject').notNull(),
    userId: text('user_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.subject] }),
    uniqueIndex('sign_in_link_person').on(table.orgId, table.userId),
    foreignKey({ columns: [table.orgId], foreignColumns: [signInProvider.orgId] }).onDelete('cascade'),
  ],
);

/** Who was a member and is not any more: they do not join again by signing in, only by an invitation. */
export const formerMember = pgTable(
  'former_member',
  { orgId: orgId().references(() => organization.id), userId: text('user_id').notNull(), at: createdAt() },
  (table) => [primaryKey({ columns: [table.orgId, table.userId] })],
);

/** States of sign-ins that came back from a provider, so that none is used twice; kept as long as one is valid. */
export const usedSignIn = pgTable(
  'used_sign_in',
  { state: text('state').primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_sign_in_expires').on(table.expiresAt)],
);
