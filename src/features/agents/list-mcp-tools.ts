import type { ListMcpToolsBody, McpTools } from '../../../contract/dashboard/tools.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

/** Asks a server, with the stored secret of the agent for it; worker/mcp/mcp-watch.ts. */
export type AskMcpServer = (orgId: string, agentId: string, server: ListMcpToolsBody) => Promise<McpTools>;

/** What an MCP server offers now: to choose from, and to compare with what was approved. */
export async function listMcpTools(
  { db, egress, askMcpServer }: Pick<AgentsDeps, 'db' | 'egress'> & { askMcpServer: AskMcpServer },
  orgId: string,
  agentId: string,
  server: ListMcpToolsBody,
): Promise<McpTools> {
  await foundAgent(db, orgId, agentId);
  await checkAddress(egress, '/url', server.url);
  return askMcpServer(orgId, agentId, server);
}
