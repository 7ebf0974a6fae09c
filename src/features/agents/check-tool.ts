import { type AgentDefinition, HAND_OFF_TOOL, SEARCH_TOOL, type Tool } from '../../../contract/agents.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { schemaFault } from '../../engine/providers/tool-schema.ts';
import type { Queryable } from '../../store/db.ts';
import { declaredVariables } from '../../store/triggers.ts';

/** Checks the rules for a tool that the schema cannot express. Pointers of faults are relative to the tool. */
export function toolFaults({ name, parameters, bound = {}, retries = 0, read_only: readOnly = false }: Tool): Fault[] {
  const faults: Fault[] = [];
  const report = (pointer: string, code: string, detail: string) => faults.push({ pointer, code, detail });
  if (name === HAND_OFF_TOOL)
    report('/name', 'conflict', 'This name is reserved: models use it to hand over to a person.');
  if (name === SEARCH_TOOL)
    report('/name', 'conflict', 'This name is reserved: models use it to search the documents.');
  if (parameters['type'] !== 'object') {
    report('/parameters', 'type', 'The JSON Schema must describe an object: "type": "object".');
  }
  const fault = schemaFault(parameters);
  if (fault !== null) report('/parameters', 'schema', `The JSON Schema cannot be used. ${fault}`);
  if (retries > 0 && !readOnly) report('/retries', 'conflict', 'Only calls of a read-only tool can be repeated.');
  for (const argument of Object.keys(bound)) {
    if (!Object.hasOwn(Object(parameters['properties']) as object, argument)) {
      report(`/bound/${argument}`, 'conflict', 'The JSON Schema has no such argument among its "properties".');
    }
  }
  return faults;
}

/**
 * The tools of one MCP server share a secret, so they have one URL. Pointers of faults are relative to the definition.
 */
export function serverFaults({ tools = [] }: AgentDefinition): Fault[] {
  const urls = new Map<string, string>();
  return tools.flatMap(({ mcp, url }, index): Fault[] => {
    if (!mcp) return [];
    const known = urls.get(mcp.server) ?? url;
    urls.set(mcp.server, known);
    if (known === url) return [];
    return [
      { pointer: `/tools/${index}/url`, code: 'conflict', detail: 'The tools of one MCP server have the same URL.' },
    ];
  });
}

/**
 * A variable to which an argument is bound must exist, as `end_user.…` or as a variable that a trigger of the agent
 * declares. A new agent has no trigger yet, so the variables are checked only when a definition is published.
 */
export async function checkBoundVariables(
  db: Queryable,
  orgId: string,
  agentId: string,
  { tools = [] }: AgentDefinition,
): Promise<void> {
  const used = tools.flatMap(({ bound = {} }, index) =>
    Object.entries(bound).map(([argument, expression]) => ({
      pointer: `/definition/tools/${index}/bound/${argument}`,
      variable: /[\w]+/.exec(expression)![0],
      isOfPerson: /^\{\{ ?end_user\./.test(expression),
    })),
  );
  if (used.every(({ isOfPerson }) => isOfPerson)) return;
  const declared = await declaredVariables(db, orgId, agentId);
  const errors: Fault[] = used
    .filter(({ isOfPerson, variable }) => !isOfPerson && !declared.has(variable))
    .map(({ pointer, variable }) => ({
      pointer,
      code: 'unknown_variable',
      detail: `No trigger of this agent declares the variable "${variable}".`,
    }));
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}
