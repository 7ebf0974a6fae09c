import { cutText } from '../../../contract/cut-text.ts';
import type { Tool } from '../../../contract/agents.ts';
import type { McpTool } from '../../../contract/dashboard/tools.ts';
import type { SeenTool } from '../../store/agents/mcp-changes.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';

/** Returns the differences between the approved tools and the tools that their server lists. */
export const compareTools = (approved: readonly Tool[], listed: readonly McpTool[]): SeenTool[] =>
  approved.map((tool) => {
    const { tool: remote, pin } = tool.mcp!;
    const now = listed.find(({ name }) => name === remote);
    return { tool: tool.name, pin, what: whatChanged(tool, now) };
  });

function whatChanged(tool: Tool, now: McpTool | undefined): SeenTool['what'] {
  if (!now) return ['gone'];
  if (now.pin === tool.mcp!.pin) return [];
  // A tool that cannot be chosen is returned without its description and its schema.
  if (now.fault !== null) return ['schema'];
  const isOtherSchema = canonicalJson(now.parameters) !== canonicalJson(tool.parameters);
  // The definition contains the beginning of a long description, so a later part may differ.
  const isOtherText = !isOtherSchema || tool.description !== chosenText(now);
  return [...(isOtherText ? ['description' as const] : []), ...(isOtherSchema ? ['schema' as const] : [])];
}

/**
 * The description that the dashboard writes into the definition: the beginning of the server's description, or the
 * name.
 */
const MAX_DESCRIPTION = 1024;
const chosenText = ({ name, description }: McpTool): string => cutText(description, MAX_DESCRIPTION).trim() || name;
