import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, jsonb, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { agent } from './agent.ts';
import { createdAt, moment, orgId } from './columns.ts';

/** A connected way to reach people, which one agent uses. */
export const channel = pgTable(
  'channel',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    kind: text('kind').notNull(),
    name: text('name').notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** The column contains only public settings. The column `sealed` contains the secrets. */
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull().default({}),
    sealed: text('sealed'),
    /** The state is `connected`, or `broken` with the reason. */
    status: text('status').notNull().default('connected'),
    statusDetail: text('status_detail'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    unique('channel_of_agent').on(table.orgId, table.agentId, table.id),
    index('channel_list')
      .on(table.orgId, table.agentId, table.id)
      .where(sql`deleted_at IS NULL`),
    // A provider's webhook URL contains only the ID of the channel.
    index('channel_inbound').on(table.id),
  ],
);

/**
 * Sites whose pages recently tried to open a web chat. The list of the channel decides whether a site is refused. A
 * node of the previous release does not show sites that are on the list.
 */
export const refusedOrigin = pgTable(
  'refused_origin',
  {
    orgId: orgId(),
    channelId: text('channel_id').notNull(),
    origin: text('origin').notNull(),
    refusedAt: moment('refused_at').notNull(),
    /** The time at which the chat was last opened on this site. Null if the chat was never opened on the site. */
    reachedAt: moment('reached_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.channelId, table.origin] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }).onDelete(
      'cascade',
    ),
  ],
);
