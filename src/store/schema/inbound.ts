import { foreignKey, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { DeliveryError } from '../../../contract/channels.ts';
import { channel } from './channel.ts';
import { createdAt, orgId } from './columns.ts';

/**
 * Events that a provider has already sent, because a provider may send an event twice. The IDs are stored for
 * INBOUND_RETENTION_DAYS.
 */
export const inboundEvent = pgTable(
  'inbound_event',
  {
    orgId: orgId(),
    channelId: text('channel_id').notNull(),
    /** The hash (SHA-256 in hexadecimal) of the provider's own ID of the event. */
    eventId: text('event_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.channelId, table.eventId] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    index('inbound_event_age').on(table.createdAt),
  ],
);

/**
 * The delivery status of a message, as the provider names it. The status is stored apart from the message, because a
 * receipt may arrive before the response with the provider's ID of the message.
 */
export const receipt = pgTable(
  'receipt',
  {
    orgId: orgId(),
    channelId: text('channel_id').notNull(),
    providerMessageId: text('provider_message_id').notNull(),
    status: text('status').notNull(),
    error: jsonb('error').$type<DeliveryError>(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.channelId, table.providerMessageId, table.status] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    index('receipt_age').on(table.createdAt),
  ],
);
