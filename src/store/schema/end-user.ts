import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { channel } from './channel.ts';
import { createdAt, moment, orgId } from './columns.ts';

/** A person the agents talk to; belongs to the organization. Anonymous until one of the three identifiers is known. */
export const endUser = pgTable(
  'end_user',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    externalId: text('external_id'),
    name: text('name'),
    email: text('email'),
    /** E.164. */
    phone: text('phone'),
    locale: text('locale'),
    timeZone: text('time_zone'),
    attributes: jsonb('attributes').$type<Record<string, unknown>>().notNull().default({}),
    tags: text('tags').array().notNull().default([]),
    /** Per channel kind: `{ "whatsapp": { "status": "opted_out", "source": "…", "at": "…" } }`. */
    consent: jsonb('consent').$type<Record<string, unknown>>().notNull().default({}),
    blocked: boolean('blocked').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    lastSeenAt: moment('last_seen_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    uniqueIndex('end_user_external_id')
      .on(table.orgId, table.externalId)
      .where(sql`external_id IS NOT NULL`),
    uniqueIndex('end_user_email')
      .on(table.orgId, table.email)
      .where(sql`email IS NOT NULL`),
    uniqueIndex('end_user_phone')
      .on(table.orgId, table.phone)
      .where(sql`phone IS NOT NULL`),
  ],
);

/** Under which address a person is known on a channel. */
export const identity = pgTable(
  'identity',
  {
    orgId: orgId(),
    channelId: text('channel_id').notNull(),
    address: text('address').notNull(),
    endUserId: text('end_user_id').notNull(),
    /** When the person last wrote from there: some providers allow free text only for a while after it. */
    lastInboundAt: moment('last_inbound_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.channelId, table.address] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    foreignKey({ columns: [table.orgId, table.endUserId], foreignColumns: [endUser.orgId, endUser.id] }),
    index('identity_end_user').on(table.orgId, table.endUserId, table.channelId),
  ],
);
