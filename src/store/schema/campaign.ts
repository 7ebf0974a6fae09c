import { sql } from 'drizzle-orm';
import { foreignKey, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { agent } from './agent.ts';
import { channel } from './channel.ts';
import { createdAt, moment, orgId } from './columns.ts';

/** A webhook campaign: recipients are pushed in over HTTP with the campaign's own key. */
export const campaign = pgTable(
  'campaign',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    channelId: text('channel_id').notNull(),
    name: text('name').notNull(),
    /** `draft`, `live`, `paused`, `ended`. */
    state: text('state').notNull().default('draft'),
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    index('campaign_list')
      .on(table.orgId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
  ],
);
