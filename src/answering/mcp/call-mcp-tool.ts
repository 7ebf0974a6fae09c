import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpOrigin } from '../../../contract/agents.ts';
import type { ToolCall } from '../../../contract/tools.ts';
import type { ToolAnswer } from '../../engine/providers/run-tool.ts';
import { withoutSecrets } from '../../kernel/egress/sent-secrets.ts';
import { readAnswer, secretsIn } from '../tools/tool-signature.ts';
import { readList } from './list-mcp-tools.ts';
import { type McpPlace, withMcpSession } from './mcp-session.ts';
import { describeTool } from './describe-tool.ts';

/** The trusted context is in this member, which the protocol reserves for data that is not an argument. */
const CONTEXT_MEMBER = 'parley/context';
const MAX_TEXT_CHARACTERS = 64 * 1024;

/**
 * Calls a tool once, in a separate session. The session first lists the server's tools and calls the tool only if it
 * still equals the approved tool.
 */
export async function callMcpTool(
  place: McpPlace,
  { tool, pin }: McpOrigin,
  { arguments: args, context }: ToolCall,
): Promise<ToolAnswer> {
  const { idempotency_key: key, attempt } = context;
  const called = await withMcpSession(place, key, async (session) => {
    const now = (await readList(session)).find(({ name }) => name === tool);
    if (now === undefined) return 'The MCP server no longer has this tool, so it was not called.';
    if (describeTool(now).pin !== pin) return 'The tool has changed since it was approved, so it was not called.';
    const params = { name: tool, arguments: args, _meta: { [CONTEXT_MEMBER]: context } };
    return session.client.callTool(params, { ...session.options, toolDefinition: now });
  });
  const { sent, status } = called.wire;
  const made = { sent, attempts: attempt, status };
  if ('error' in called) return { ...made, result: null, error: called.error };
  const { answer } = called;
  if (typeof answer === 'string') return { ...made, attempts: 0, result: null, error: answer };
  const secrets = secretsIn(place.url, place.authority);
  const text = withoutSecrets(textOf(answer), secrets).slice(0, MAX_TEXT_CHARACTERS);
  if (answer.isError === true) return { ...made, result: text, error: text || 'The tool failed.' };
  return { ...made, result: readAnswer(text, secrets), error: null };
}

/**
 * Returns the text that a model can read: texts, texts of resources, and links. For a picture, a sound or another file,
 * only its kind is included. Structured content is used if there is no text, because servers repeat it as text.
 */
function textOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource_link') return `[${part.name}: ${part.uri}]`;
    if (part.type !== 'resource') return `[${part.type}, ${part.mimeType}: not stored]`;
    const { resource } = part;
    return 'text' in resource ? resource.text : `[file, ${resource.mimeType ?? resource.uri}: not stored]`;
  });
  return parts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : parts.join('\n');
}
