import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { PlaygroundBody } from '../../../../contract/dashboard/agents.ts';
import type { VariableDeclaration } from '../../../../contract/triggers.ts';
import { useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';

/**
 * The data that a backend would send with its call, which is the language, the person, and values of variables as
 * typed. `denies`: true if calls that need an approval are denied.
 */
export type CallData = {
  locale: string;
  name: string;
  values: Readonly<Record<string, string>>;
  denies?: boolean;
};
type Variable = { name: string; type: VariableDeclaration['type'] };

const MAX_TRIGGERS = 100;
const MENTIONED = /\{\{[{#^&/]?\s*([a-zA-Z_]\w*)/g;
/** Every conversation has the variables `end_user` and `agent`, so a caller does not send them. */
const OWN = new Set(['end_user', 'agent']);

/** Lists the variables that a call may contain, which the agent's triggers declare or its texts mention. */
export function useVariables(agentId: string, definition: AgentDefinition | undefined): Variable[] {
  const org_id = useOrganization().id;
  const triggers = useRead(
    'listTriggers',
    { params: { org_id }, query: { agent_id: agentId, limit: MAX_TRIGGERS } },
    { staleTime: 30_000 },
  );
  const found = new Map<string, Variable>();
  for (const { variables } of triggers.data?.data ?? [])
    for (const { name, type } of variables) if (!found.has(name)) found.set(name, { name, type });
  for (const [, name] of JSON.stringify(definition ?? {}).matchAll(MENTIONED))
    if (!OWN.has(name!) && !found.has(name!)) found.set(name!, { name: name!, type: 'string' });
  return [...found.values()];
}

/**
 * Lists the names that texts may contain as `{{name}}`. With a definition, the texts are those of the agent, which can
 * also contain its name and the answers to its questions.
 */
export function useTextVariables(agentId: string, definition: AgentDefinition | undefined): string[] {
  const declared = useVariables(agentId, undefined).map(({ name }) => name);
  const answers = (definition?.steps?.items ?? []).map(({ name }) => name).filter(Boolean);
  return [...new Set(['end_user.name', ...(definition ? ['agent.name'] : []), ...declared, ...answers])];
}

/** Returns the part of a turn's body for the data, without empty fields. */
export function bodyOf({ locale, name, values, denies }: CallData, variables: readonly Variable[]): PlaygroundBody {
  const given = variables.flatMap((one) => (values[one.name] ? [[one.name, valueOf(one, values[one.name]!)]] : []));
  return {
    locale,
    ...(denies && { approvals: 'deny' as const }),
    variables: {
      ...Object.fromEntries(given),
      ...(name.trim() !== '' && { end_user: { id: 'enduser_playground', name: name.trim() } }),
    },
  };
}

function valueOf({ type }: Variable, typed: string): unknown {
  if (type === 'string' || type === 'date') return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    // A value with the wrong type is sent as text.
    return typed;
  }
}
