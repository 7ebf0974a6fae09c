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
    /**
     * Null: its bytes are here. `moving`: they are here, and maybe in the store of files as well (BLOBS_URL). `store`: they
     * are there alone. Rows of the last two leave a `blob_deletion` when they go: a trigger writes it.
     */
    place: text('place'),
    placedAt: moment('placed_at'),
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
    // What is to be moved, and what a process that died left half moved.
    index('attachment_here')
      .on(table.createdAt)
      .where(sql`place IS DISTINCT FROM 'store' AND due_at IS NULL AND message_id IS NOT NULL`),
    index('attachment_stored')
      .on(table.hash)
      .where(sql`place IS NOT NULL`),
    index('attachment_lane')
      .on(sql.raw(LANE), table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);

/**
 * An object of the store of files that may have lost its last row. The organization may be gone, so nothing is
 * referenced. The object is deleted if no row has its hash by then.
 */
export const blobDeletion = pgTable(
  'blob_deletion',
  {
    orgId: orgId(),
    hash: text('hash').notNull(),
    dueAt: moment('due_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.hash] }), index('blob_deletion_due').on(table.dueAt)],
);
