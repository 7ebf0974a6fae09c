import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, moment } from './columns.ts';
import { user } from './identity.ts';

/**
 * Second factors of people, who belong to the region like their accounts. The tables of this file are not tables of
 * better-auth (see docs/adr/0301).
 */
export const secondFactor = pgTable('second_factor', {
  userId: text('user_id')
    .primaryKey()
    .references(() => user.id, { onDelete: 'cascade' }),
  /** The secret of the authenticator app, sealed under PARLEY_SECRET. */
  sealed: text('sealed').notNull(),
  /** Null: the secret was shown but not yet confirmed by a code, so it has no effect. */
  confirmedAt: moment('confirmed_at'),
  /** The step of the last accepted code. The server refuses a code of this or an earlier step. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  /** The number of wrong codes since the last correct code. */
  failures: integer('failures').notNull().default(0),
  waitUntil: moment('wait_until'),
  createdAt: createdAt(),
});

/** Each code is valid once, because its use deletes the row. */
export const recoveryCode = pgTable(
  'recovery_code',
  {
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    digest: bytes('digest').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.digest] })],
);

export const passkey = pgTable(
  'passkey',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The browser's ID for the passkey, in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    publicKey: bytes('public_key').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: jsonb('transports').$type<string[]>().notNull(),
    /**
     * The time when the challenge of the last sign-in was created. Only challenges that were created later are
     * accepted.
     */
    challengedAt: moment('challenged_at'),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('passkey_user').on(table.userId)],
);
