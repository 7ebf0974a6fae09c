import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { VariableDeclaration } from '../../../contract/triggers.ts';
import { agent } from './agent.ts';
import { channel } from './channel.ts';
import { createdAt, moment, orgId } from './columns.ts';

/** A named endpoint of one agent that starts or continues a conversation from a backend. */
export const trigger = pgTable(
  'trigger',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    name: text('name').notNull(),
    enabled: boolean('enabled').notNull().default(true),
    variables: jsonb('variables').$type<VariableDeclaration[]>().notNull().default([]),
    /** The channel of the trigger's conversations. Null: the trigger uses the sandbox channel of the agent. */
    channelId: text('channel_id'),
    /**
     * The version of the agent that answers the trigger's runs. Null: the live version or the version of a rollout
     * answers.
     */
    agentVersion: integer('agent_version'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    index('trigger_list')
      .on(table.orgId, table.agentId, table.id)
      .where(sql`deleted_at IS NULL`),
  ],
);
