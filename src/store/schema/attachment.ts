import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, LANE, moment, orgId } from './columns.ts';
import { message } from './conversation.ts';

/**
 * A file that was sent in a conversation. It goes with its message, so with the person, the retention period and the
 * organization. While its bytes are still at the channel's provider, it is also its own entry in the queue of those
 * that are to be fetched: `due_at` and `lease`, as for runs. Audio without words is there once more, to be written down.
 */
export const attachment = pgTable(
  'attachment',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** Part of its address, which is all that a reader needs. */
    token: text('token').notNull(),
    /** Null until its message is stored; by the provider's id of the message it is found. */
    messageId: text('message_id'),
    providerMessageId: text('provider_message_id'),
    name: text('name').notNull(),
    /** What its first bytes say it is, or application/octet-stream; never what the sender said. */
    type: text('type').notNull(),
    size: integer('size').notNull(),
    /** SHA-256, in hexadecimal. */
    hash: text('hash').notNull(),
    /** Null while they are at the provider. */
    bytes: bytes('bytes'),
    /** Where the provider has the bytes, in the words of its channel. */
    source: jsonb('source').$type<Record<string, string>>(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.messageId], foreignColumns: [message.orgId, message.id] }).onDelete(
      'cascade',
    ),
    index('attachment_message').on(table.messageId),
    index('attachment_loose')
      .on(table.createdAt)
      .where(sql`message_id IS NULL`),
    index('attachment_lane')
      .on(sql.raw(LANE), table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);
