import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, moment } from './columns.ts';

/** A single row with the data of this installation as a whole. */
export const installation = pgTable(
  'installation',
  {
    id: integer('id').primaryKey().default(1),
    region: text('region').notNull(),
    /** The first owner, who alone changes plans and creates organizations for other people. */
    operatorId: text('operator_id'),
    /** The HMAC of the one-time setup link's token, and its expiry. */
    setupDigest: bytes('setup_digest'),
    setupExpiresAt: moment('setup_expires_at'),
    /** The time when the demo organization was created. The demo organization is created only once. */
    demoAt: moment('demo_at'),
    /**
     * The time since which Parley sends nothing, because a restored copy waits for `./parley resume`. Null: the
     * installation is not paused.
     */
    pausedAt: moment('paused_at'),
    /** The HMAC of a fixed text detects a start with another PARLEY_SECRET. */
    secretCheck: bytes('secret_check').notNull(),
    /** The number of rotations of PARLEY_SECRET. */
    secretGeneration: integer('secret_generation').notNull().default(0),
    /** The number of changes of cells and of the cells of organizations. */
    cellsVersion: integer('cells_version').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [check('installation_one_row', sql`${table.id} = 1`)],
);

/** The previous values of PARLEY_SECRET, numbered from 0, each sealed with the current secret. */
export const pastSecret = pgTable('past_secret', {
  generation: integer('generation').primaryKey(),
  sealed: text('sealed').notNull(),
  createdAt: createdAt(),
});

/**
 * The lock of the only row serializes the changes that can turn a permitted call into a refused call
 * (src/access/nodes/change.ts).
 */
export const authzClock = pgTable(
  'authz_clock',
  { id: integer('id').primaryKey().default(1), seq: bigint('seq', { mode: 'number' }).notNull().default(0) },
  (table) => [check('authz_clock_one_row', sql`${table.id} = 1`)],
);

/**
 * The change log contains the records that a node must remove from its cache. The housekeeper removes rows that are
 * older than the slowest live lease.
 */
export const authzChange = pgTable('authz_change', {
  seq: bigint('seq', { mode: 'number' }).primaryKey(),
  kind: text('kind').notNull(),
  /** The ID of the changed key, organization, agent, trigger, channel or campaign. */
  subjectId: text('subject_id').notNull(),
  at: moment('at').notNull().defaultNow(),
});

/** A node that may answer from memory, its position in the change log, and the time of its last renewal. */
export const nodeLease = pgTable('node_lease', {
  nodeId: text('node_id').primaryKey(),
  appliedSeq: bigint('applied_seq', { mode: 'number' }).notNull(),
  renewNo: bigint('renew_no', { mode: 'number' }).notNull().default(0),
  startedAt: moment('started_at').notNull().defaultNow(),
  renewedAt: moment('renewed_at').notNull().defaultNow(),
});

/** Running processes of every role, for `./parley secrets rotate`. A worker has a row in this table, but no lease. */
export const runningProcess = pgTable('running_process', {
  id: text('id').primaryKey(),
  /** The newest PARLEY_SECRET that the process knows. */
  secretGeneration: integer('secret_generation').notNull(),
  /** The newest change of the cells that the process has read. */
  cellsVersion: integer('cells_version').notNull().default(0),
  seenAt: moment('seen_at').notNull().defaultNow(),
});
