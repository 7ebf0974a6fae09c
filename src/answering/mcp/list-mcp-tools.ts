import { randomUUID } from 'node:crypto';
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import type { McpTools } from '../../../contract/dashboard/tools.ts';
import { valueWithoutSecrets } from '../../kernel/egress/sent-secrets.ts';
import { type McpPlace, type McpSession, withMcpSession } from './mcp-session.ts';
import { describeTool } from './describe-tool.ts';

/** A longer list would not help an author to choose. */
const MAX_TOOLS = 200;
const MAX_PAGES = 8;
const NAMELESS = { name: '', version: '' };

/** Lists the current tools of a server. */
export async function listMcpTools(place: McpPlace): Promise<McpTools> {
  const listed = await withMcpSession(place, randomUUID(), async ({ client, ...session }) => {
    const { name, version } = valueWithoutSecrets(client.getServerVersion() ?? NAMELESS, session.secrets);
    return {
      server: { name: name.slice(0, 200), version: version.slice(0, 100) },
      tools: await readList({ client, ...session }),
    };
  });
  if ('error' in listed) return { server: null, error: listed.error, tools: [], more: 0 };
  const { server, tools } = listed.answer;
  // A name that appears twice counts as one tool, because a call can name only one of them.
  const own = [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
  const shown = own.slice(0, MAX_TOOLS).map(describeTool);
  return { server, error: null, tools: shown, more: own.length - shown.length };
}

/** Reads the list page by page. Tools after the last page that is read are ignored. */
export async function readList({ client, options, secrets }: Omit<McpSession, 'wire'>): Promise<ListedTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      options,
    );
    tools.push(...valueWithoutSecrets(answer.tools, secrets));
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
