import { boolean, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, createdAt, moment } from './columns.ts';

/**
 * People, their sessions and their organizations. The columns are exactly those of better-auth (a test compares them
 * with the library's own list). The rows belong to the region, not to one tenant.
 */
export const user = pgTable('user', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text('image'),
  createdAt: createdAt(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const session = pgTable(
  'session',
  {
    id: text('id').primaryKey(),
    expiresAt: moment('expires_at').notNull(),
    token: text('token').notNull().unique(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    activeOrganizationId: text('active_organization_id'),
    /**
     * The organization whose provider opened this session. The session has access only to the organization of its
     * provider. Null: the person opened the session.
     */
    signInOrgId: text('sign_in_org_id'),
    /**
     * True: a second factor was used or set up in this session. True is possible for a session of a provider, because
     * the provider may have checked the factor.
     */
    signInFactor: boolean('sign_in_factor').notNull().default(false),
  },
  (table) => [index('session_user').on(table.userId)],
);

export const account = pgTable(
  'account',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: moment('access_token_expires_at'),
    refreshTokenExpiresAt: moment('refresh_token_expires_at'),
    scope: text('scope'),
    password: text('password'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [index('account_user').on(table.userId)],
);

export const verification = pgTable(
  'verification',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [index('verification_identifier').on(table.identifier)],
);

export const organization = pgTable('organization', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  slug: text('slug').notNull().unique(),
  logo: text('logo'),
  metadata: text('metadata'),
  createdAt: createdAt(),
  /** The plan is `free` or `paid`. Only the operator can change the plan. better-auth does not have this column. */
  plan: text('plan').notNull().default('free'),
  /**
   * True: members need a session with a second factor. An owner changes this setting. better-auth does not have this
   * column.
   */
  requiresSecondFactor: boolean('requires_second_factor').notNull().default(false),
  /**
   * The time zone of the organization's team, such as Asia/Qatar. Null: the time zone is unknown. better-auth does not
   * have this column.
   */
  timeZone: text('time_zone'),
  /** The cell that contains the organization's rows (src/store/cells). better-auth does not have this column. */
  cell: text('cell').notNull().default('public'),
});

export const member = pgTable(
  'member',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organization.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    role: text('role').notNull().default('member'),
    createdAt: createdAt(),
    /**
     * True: after a resolve or a snooze, the inbox opens the next conversation. better-auth does not have this column.
     */
    opensNext: boolean('opens_next').notNull().default(true),
  },
  (table) => [uniqueIndex('member_once').on(table.organizationId, table.userId), index('member_user').on(table.userId)],
);

export const invitation = pgTable(
  'invitation',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organization.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role'),
    status: text('status').notNull().default('pending'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    inviterId: text('inviter_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    /**
     * The digest of the token in the link. Null: no link works until a renewal. better-auth does not have this column.
     */
    tokenDigest: bytes('token_digest'),
    /** True: the link was sent by mail, so its holder can read the mailbox. better-auth does not have this column. */
    mailed: boolean('mailed').notNull().default(false),
  },
  (table) => [
    index('invitation_organization').on(table.organizationId),
    index('invitation_email').on(table.email),
    index('invitation_inviter').on(table.inviterId),
    uniqueIndex('invitation_token').on(table.tokenDigest),
  ],
);
