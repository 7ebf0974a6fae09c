import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ToolChange } from '../../../contract/dashboard/agents.ts';
import { agent } from './agent.ts';
import { moment, orgId } from './columns.ts';

/**
 * A tool whose form on its MCP server differs from the approved one, as a node saw it last. The row is valid only while
 * the published definition has this approval. When a member approves another form or removes the tool, this row need
 * not change.
 */
export const mcpChange = pgTable(
  'mcp_change',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    /** The name of the tool in the definition. */
    tool: text('tool').notNull(),
    /** The approval that the tool no longer matches. */
    pin: text('pin').notNull(),
    what: text('what').array().$type<ToolChange['what']>().notNull(),
    /** The time when this difference was first seen. */
    since: moment('since').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId, table.tool] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);
