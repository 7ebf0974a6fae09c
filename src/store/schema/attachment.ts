import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, LANE, moment, orgId } from './columns.ts';
import { message } from './conversation.ts';

/**
 * A file that was sent in a conversation. The file is deleted with its message, its person or its organization, or
 * after the retention period. While the bytes are at the channel's provider, the row is also an entry in the queue of
 * files to fetch, with `due_at` and `lease` as for runs. Audio without a transcript is queued a second time, to be
 * transcribed.
 */
export const attachment = pgTable(
  'attachment',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** A secret part of the file's address, because the address is enough to read the file. */
    token: text('token').notNull(),
    /** Null until the file's message is stored. Until then, the provider's ID finds the message. */
    messageId: text('message_id'),
    providerMessageId: text('provider_message_id'),
    name: text('name').notNull(),
    /**
     * The type that the file's first bytes show, or application/octet-stream. Parley never uses the type that the
     * sender states.
     */
    type: text('type').notNull(),
    size: integer('size').notNull(),
    /** The hash of the file (SHA-256 in hexadecimal). */
    hash: text('hash').notNull(),
    /** Null while the bytes are at the channel's provider. */
    bytes: bytes('bytes'),
    /** The place of the bytes at the provider, in the format of the kind of channel. */
    source: jsonb('source').$type<Record<string, string>>(),
    /**
     * Null: the bytes are in the database. `moving`: the bytes are in the database, and possibly also in the object
     * store (BLOBS_URL). `store`: the bytes are only in the object store. If a row with the value `moving` or `store`
     * is deleted, a trigger writes a `blob_deletion`.
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
    // Files that must be moved, and files whose process died during the move.
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
 * An object in the object store whose last row may have been deleted. The organization may not exist any more, so the
 * row references nothing. A worker deletes the object if no row has its hash at that time.
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
