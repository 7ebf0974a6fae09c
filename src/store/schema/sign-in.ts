import { boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/** The OpenID provider for sign-ins of an organization's people. An organization has at most one provider. */
export const signInProvider = pgTable('sign_in_provider', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  issuer: text('issuer').notNull(),
  clientId: text('client_id').notNull(),
  /** The client secret, sealed with the organization's data key. The sealed secret works only with this issuer. */
  sealed: text('sealed').notNull(),
  /** The role of a person who joins by signing in for the first time. The value is never `owner`. */
  defaultRole: text('default_role').notNull(),
  enabled: boolean('enabled').notNull(),
  createdAt: createdAt(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** The e-mail domains that an organization claims, with the record that the DNS of each domain must contain. */
export const signInDomain = pgTable(
  'sign_in_domain',
  {
    orgId: orgId().references(() => organization.id),
    /** The domain in lower case and ASCII (punycode). */
    domain: text('domain').notNull(),
    token: text('token').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.domain] })],
);

/**
 * The organization that proved a domain. A domain has at most one such organization. A person who signs in enters only
 * an address, and this table finds the organization. The key of the table does not contain the organization, as in
 * `api_key_digest`.
 */
export const provenDomain = pgTable(
  'proven_domain',
  {
    domain: text('domain').primaryKey(),
    orgId: text('org_id')
      .notNull()
      .references(() => organization.id),
    /** The proof is `dns` or `operator`. */
    provenBy: text('proven_by').notNull(),
    provenAt: moment('proven_at').notNull().defaultNow(),
  },
  (table) => [index('proven_domain_organization').on(table.orgId)],
);

/**
 * The person that belongs to a subject of the organization's provider. The row is deleted with the membership, or when
 * the issuer or client changes.
 */
export const signInLink = pgTable(
  'sign_in_link',
  {
    orgId: orgId(),
    /**
     * The claim `sub` of the ID token. The address of a person may pass to another person, but the claim `sub` does
     * not.
     */
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

/** Former members, who cannot join again by signing in, only through an invitation. */
export const formerMember = pgTable(
  'former_member',
  { orgId: orgId().references(() => organization.id), userId: text('user_id').notNull(), at: createdAt() },
  (table) => [primaryKey({ columns: [table.orgId, table.userId] })],
);

/** States of completed sign-ins, so that no state is used twice. The states are stored as long as they are valid. */
export const usedSignIn = pgTable(
  'used_sign_in',
  { state: text('state').primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_sign_in_expires').on(table.expiresAt)],
);
