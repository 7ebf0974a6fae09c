import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ToolChange } from '../../../contract/dashboard/agents.ts';
import { agent } from './agent.ts';
import { moment, orgId } from './columns.ts';

/**
 * A tool that its MCP server has in another form than was approved, as a node saw it last. It counts only as long as the
 * published definition has this approval: approving another form, or removing the tool, needs no change here.
 */
export const mcpChange = pgTable(
  'mcp_change',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    /** Its name in the definition. */
    tool: text('tool').notNull(),
    /** The approval that it no longer meets. */
    pin: text('pin').notNull(),
    what: text('what').array().$type<ToolChange['what']>().notNull(),
    /** When it was first seen so. */
    since: moment('since').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId, table.tool] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);
