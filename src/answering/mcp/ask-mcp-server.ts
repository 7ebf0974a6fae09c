import type { ListMcpToolsBody, McpTools } from '../../../contract/dashboard/tools.ts';
import type { Egress } from '../../kernel/egress.ts';
import { type AuthorityDeps, findAuthority } from '../tools/tool-signature.ts';

export type AskMcpServerDeps = AuthorityDeps & { egress: Pick<Egress, 'fetchWith'> };

const LIST_MS = 10_000;

/** Requests the list of tools from an MCP server with the agent's stored secret for this server. */
export async function askMcpServer(
  deps: AskMcpServerDeps,
  orgId: string,
  agentId: string,
  { server, url }: ListMcpToolsBody,
): Promise<McpTools> {
  const tool = { name: server, url, mcp: { server, tool: '', pin: '' } };
  const authority = await findAuthority(deps, tool, { organization_id: orgId, agent_id: agentId });
  if ('fault' in authority) return { server: null, error: authority.fault, tools: [], more: 0 };
  // The first call loads the library of the protocol.
  const { listMcpTools } = await import('./list-mcp-tools.ts');
  const signal = AbortSignal.timeout(LIST_MS);
  return listMcpTools({ egress: deps.egress, url, authority, timeoutMs: LIST_MS, signal });
}
