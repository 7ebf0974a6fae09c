import { hash } from 'node:crypto';
import type { McpTool } from '../../../contract/dashboard/tools.ts';
import { schemaFault } from '../../engine/providers/tool-schema.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';

/** A tool as a server lists it. */
type ListedTool = { name: string; description?: string | undefined; inputSchema: Record<string, unknown> };

const NAME = /^[!-~]{1,128}$/;
const MAX_DESCRIPTION_CHARACTERS = 16_000;

/** The parts of a tool that an author approves, with their hash, or the reason why the tool cannot be approved. */
export function describeTool({ name, description = '', inputSchema }: ListedTool): McpTool {
  const faulty = (fault: string): McpTool => ({
    name: name.slice(0, 128),
    description: '',
    parameters: {},
    pin: '',
    fault,
  });
  if (!NAME.test(name)) return faulty('Its name is longer than 128 characters, or has others than visible ASCII.');
  if (description.length > MAX_DESCRIPTION_CHARACTERS) return faulty('Its description is too long.');
  const fault = schemaFault(inputSchema);
  if (fault !== null) return faulty(`Its input schema cannot be used. ${fault}`);
  const pin = hash('sha256', JSON.stringify([name, description, canonicalJson(inputSchema)]), 'base64url');
  return { name, description, parameters: inputSchema, pin, fault: null };
}
