import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { channel } from './channel.ts';
import { bytes, createdAt, moment, orgId } from './columns.ts';

/**
 * A person with whom the agents talk. The person belongs to the organization. A person is anonymous until Parley knows
 * an external ID, e-mail address or phone number.
 */
export const endUser = pgTable(
  'end_user',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    externalId: text('external_id'),
    name: text('name'),
    email: text('email'),
    /** The phone number in E.164. */
    phone: text('phone'),
    locale: text('locale'),
    timeZone: text('time_zone'),
    attributes: jsonb('attributes').$type<Record<string, unknown>>().notNull().default({}),
    tags: text('tags').array().notNull().default([]),
    /**
     * The consent for each kind of channel, for example `{"whatsapp":{"status":"opted_out","source":"…","at":"…"}}`.
     */
    consent: jsonb('consent').$type<Record<string, unknown>>().notNull().default({}),
    blocked: boolean('blocked').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    lastSeenAt: moment('last_seen_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // The operator class supports equality, uniqueness and prefix search.
    uniqueIndex('end_user_external_id')
      .on(table.orgId, table.externalId.op('text_pattern_ops'))
      .where(sql`external_id IS NOT NULL`),
    uniqueIndex('end_user_email')
      .on(table.orgId, table.email.op('text_pattern_ops'))
      .where(sql`email IS NOT NULL`),
    uniqueIndex('end_user_phone')
      .on(table.orgId, table.phone.op('text_pattern_ops'))
      .where(sql`phone IS NOT NULL`),
    // The index serves searches by words of the name, by tags and by attributes within one organization. A person
    // without data, as in most trigger calls, is not in the index.
    index('end_user_search')
      .using(
        'gin',
        sql`(ARRAY[org_id])`,
        sql`to_tsvector('simple', name)`,
        table.tags,
        table.attributes.op('jsonb_path_ops'),
      )
      .where(sql`name IS NOT NULL OR tags <> '{}' OR attributes <> '{}'`),
    // Lists blocked people, who are few, newest first.
    index('end_user_blocked')
      .on(table.id)
      .where(sql`blocked`),
    // The index serves the filter `updated_after`. The ID, which contains the time of creation, finds rows that never
    // changed.
    index('end_user_changed')
      .on(table.orgId, table.updatedAt)
      .where(sql`updated_at <> created_at`),
  ],
);

/**
 * An opt-out that stays after the erasure of a person, for one identifier. Only a keyed digest of the identifier is
 * stored, so the table identifies no one. If a person returns with this identifier, the opt-out still applies.
 */
export const suppression = pgTable(
  'suppression',
  {
    orgId: orgId(),
    /** HMAC-SHA-256 of organization, kind of identifier and identifier. */
    digest: bytes('digest').notNull(),
    /** The entries of `end_user.consent` with the status `opted_out`. */
    consent: jsonb('consent').$type<Record<string, unknown>>().notNull(),
    blocked: boolean('blocked').notNull().default(false),
    /** The link of the key chain at which the digest ends (kernel/key-chain.ts). */
    generation: integer('generation').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.digest] })],
);

/** A person's address on a channel. */
export const identity = pgTable(
  'identity',
  {
    orgId: orgId(),
    channelId: text('channel_id').notNull(),
    address: text('address').notNull(),
    endUserId: text('end_user_id').notNull(),
    /**
     * The time of the person's last message from this address. Some providers allow free text only for some time after
     * this message.
     */
    lastInboundAt: moment('last_inbound_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.channelId, table.address] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    foreignKey({ columns: [table.orgId, table.endUserId], foreignColumns: [endUser.orgId, endUser.id] }),
    index('identity_end_user').on(table.endUserId),
  ],
);
