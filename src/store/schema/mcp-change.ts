import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ToolChange } from '../../../contract/dashboard/agents.ts';
import { agent } from './agent.ts';
import { moment, orgId } from './columns.ts';

/**
 * A tool whose form on its MCP server differs from the approved form when a node last read it. The row is valid only
 * while the published definition contains this approval. When a member approves another form or removes the tool, the
 * row becomes invalid without a change.
 */
export const mcpChange = pgTable(
  'mcp_change',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    /** The name of the tool in the definition. */
    tool: text('tool').notNull(),
    /** The approved form, which the tool on the server no longer matches. */
    pin: text('pin').notNull(),
    what: text('what').array().$type<ToolChange['what']>().notNull(),
    /** The time when a node first saw that the tool has changed. */
    since: moment('since').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId, table.tool] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);
