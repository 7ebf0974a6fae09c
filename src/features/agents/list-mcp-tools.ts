import type { ListMcpToolsBody, McpTools } from '../../../contract/dashboard/tools.ts';
import { askMcpServer } from '../../answering/mcp/ask-mcp-server.ts';
import { compareTools } from '../../answering/mcp/compare-tools.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { recordSeenTools } from '../../store/agents/mcp-changes.ts';
import { readAgent } from '../../store/agents/read.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';
import { limitTries } from './try-limit.ts';

/**
 * Lists the current tools of an MCP server, which members select and compare with the approved tools. Differences from
 * the published definition are recorded, so that the dashboard shows them before the next turn.
 */
export async function listMcpTools(
  deps: Pick<AgentsDeps, 'db' | 'egress' | 'sealingKey'>,
  orgId: string,
  agentId: string,
  body: ListMcpToolsBody,
): Promise<McpTools> {
  await foundAgent(deps.db, orgId, agentId);
  const { server, url } = body;
  await checkAddress(deps.egress, '/url', url);
  return limitTries(orgId, async () => {
    const list = await askMcpServer(deps, orgId, agentId, body);
    if (list.error !== null) return list;
    // A version may have been published while the server was answering.
    const found = await readAgent(deps.db, orgId, agentId);
    const own = (found?.published.tools ?? []).filter((tool) => tool.mcp?.server === server && tool.url === url);
    await recordSeenTools(deps.db, orgId, agentId, compareTools(own, list.tools));
    return list;
  });
}
