import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Comparison, StopWhen } from '../../../contract/dashboard/rollouts.ts';
import { agent } from './agent.ts';
import { createdAt, moment, orgId } from './columns.ts';

/**
 * A version of an agent that a part of the end users gets. Parley computes who gets the version from the IDs of rollout
 * and end user (src/answering/choose-version.ts), so no end user has a row.
 */
export const agentRollout = pgTable(
  'agent_rollout',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    version: integer('version').notNull(),
    /** The version that was live when the rollout began. */
    baseVersion: integer('base_version').notNull(),
    percent: integer('percent').notNull(),
    /** Null: only a member stops the rollout. */
    stopWhen: jsonb('stop_when').$type<StopWhen>(),
    /** `active`, `stopped` (the version was withdrawn) or `finished` (everyone gets the version). */
    status: text('status').notNull().default('active'),
    /** The reason of a stopped rollout, `worse` or `member`. */
    reason: text('reason'),
    /** The last comparison of an ended rollout. */
    comparison: jsonb('comparison').$type<Comparison>(),
    /** The time at which the comparison is due again. */
    checkAt: moment('check_at').notNull().defaultNow(),
    createdBy: text('created_by'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    uniqueIndex('agent_rollout_active')
      .on(table.orgId, table.agentId)
      .where(sql`status = 'active'`),
    index('agent_rollout_of').on(table.agentId, table.id),
    index('agent_rollout_due')
      .on(table.checkAt)
      .where(sql`status = 'active' AND stop_when IS NOT NULL`),
  ],
);
