import type { AgentDefinition } from '../contract/agents.ts';
import { AgentRecord } from '../contract/dashboard/agents.ts';
import type { BodyOf } from '../contract/dashboard/routes.ts';
import { Failure } from './failure.ts';
import { parseJsonObject, readText } from './read-input.ts';
import { parseYaml } from './test-case-file.ts';

export type AgentChange = Pick<BodyOf<'updateAgent'>, 'name' | 'enabled' | 'definition'>;

/** The members that are displayed but cannot be set are removed, so that the output can be edited and sent back. */
const CHANGEABLE = ['name', 'enabled', 'definition'];
const READ_ONLY = new Set(Object.keys(AgentRecord.properties).filter((name) => !CHANGEABLE.includes(name)));

/**
 * Accepts a definition, or a record that contains one. The server validates the definition, so this function repeats no
 * part of the schema.
 */
export async function readChange(file: string): Promise<AgentChange> {
  const { name, enabled, definition, ...rest } = /\.ya?ml$/.test(file)
    ? parseYaml(await readText(file), file)
    : parseJsonObject(await readText(file), file);
  const around = { ...(name !== undefined && { name }), ...(enabled !== undefined && { enabled }) };
  if (definition === undefined) {
    return (Object.keys(rest).length === 0 ? around : { ...around, definition: rest }) as AgentChange;
  }
  const unknown = Object.entries(rest).filter(([member]) => !READ_ONLY.has(member));
  return { ...around, definition, ...Object.fromEntries(unknown) } as AgentChange;
}

/** Reads the definition from a file that contains a definition or an agent. */
export async function readDefinition(file: string): Promise<AgentDefinition> {
  const { definition } = await readChange(file);
  if (definition !== undefined) return definition;
  throw new Failure('usage_invalid', `${file} has no definition of an agent.`);
}
