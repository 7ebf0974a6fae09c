import { hash } from 'node:crypto';
import type { McpTool } from '../../../contract/dashboard/tools.ts';

/** A tool as a server lists it. */
type ListedTool = { name: string; description?: string | undefined; inputSchema: Record<string, unknown> };

const NAME = /^[!-~]{1,128}$/;
const MAX_DESCRIPTION_CHARACTERS = 16_000;
/** A model reads the schema in every turn. */
const MAX_SCHEMA_CHARACTERS = 16_000;
/** Deeper ones are made to exhaust a stack. */
const MAX_DEPTH = 24;

/** What an author approves, with its hash; or why no one can. */
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
  if (isDeeperThan(MAX_DEPTH, inputSchema)) return faulty('Its input schema is nested too deeply.');
  const schema = canonical(inputSchema);
  if (schema.length > MAX_SCHEMA_CHARACTERS) return faulty('Its input schema is too large.');
  const pin = hash('sha256', JSON.stringify([name, description, schema]), 'base64url');
  return { name, description, parameters: inputSchema, pin, fault: null };
}

/** Without recursion: the depth is what a hostile server chooses. */
function isDeeperThan(most: number, value: unknown): boolean {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, depth] = next;
    if (typeof at !== 'object' || at === null) continue;
    if (depth > most) return true;
    for (const part of Object.values(at)) open.push([part, depth + 1]);
  }
  return false;
}

/** The same whatever the order of the members: some servers order them by chance. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
