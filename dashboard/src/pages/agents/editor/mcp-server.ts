import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { cutText } from '../../../../../contract/cut-text.ts';
import type { Tool } from '../../../../../contract/agents.ts';
import type { McpTool, McpTools } from '../../../../../contract/dashboard/tools.ts';
import { call, type Problem } from '../../../api/client.ts';
import { useMay, useOrganization } from '../../../session/session.ts';

const route = getRouteApi('/inside/agents/$agent_id');

export type McpServer = { server: string; url: string };

/** Requests the current tools of the server once, when the tools are opened. */
export function useMcpTools(at: McpServer | null): UseQueryResult<McpTools, Problem> {
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const may = useMay('member');
  return useQuery<McpTools, Problem>({
    queryKey: ['listMcpTools', org_id, agent_id, at],
    queryFn: ({ signal }) => call('listMcpTools', { params: { org_id, agent_id }, body: at!, signal }),
    enabled: at !== null && may,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
}

/** The servers that provide the tools. */
export function serversOf(tools: readonly Tool[]): McpServer[] {
  const known = new Map<string, McpServer>();
  for (const { mcp, url } of tools) if (mcp) known.set(`${mcp.server} ${url}`, { server: mcp.server, url });
  return [...known.values()];
}

export const isFrom =
  ({ server, url }: McpServer) =>
  (tool: Tool): boolean =>
    tool.mcp?.server === server && tool.url === url;

const MAX_DESCRIPTION = 1024;

/** Builds the version that is approved with the tool. */
export const formOf = ({ name, description, parameters, pin }: McpTool, server: string) => ({
  description: cutText(description, MAX_DESCRIPTION).trim() || name,
  parameters,
  mcp: { server, tool: name, pin },
});

/** Returns a name that models accept and that no other tool has. */
export function localName(remote: string, server: string, usedNames: readonly string[]): string {
  const plain = remote.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z])/, 'tool_');
  const names = [
    plain,
    `${server}_${plain}`,
    ...Array.from({ length: 32 }, (_, at) => `${plain.slice(0, 60)}_${at + 2}`),
  ];
  return names.map((name) => name.slice(0, 64)).find((name) => !usedNames.includes(name)) ?? plain.slice(0, 64);
}
