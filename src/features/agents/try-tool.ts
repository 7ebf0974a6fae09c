import type { Tool } from '../../../contract/agents.ts';
import type { ToolTried, TryToolBody } from '../../../contract/dashboard/tools.ts';
import { Refusal } from '../../../contract/problems.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import type { AgentsDeps } from './deps.ts';
import { toolFaults } from './check-tool.ts';
import { foundAgent } from './read-agents.ts';

/** Calls a tool for a made-up person; worker/turns/try-tool.ts. */
export type TryTool = (
  orgId: string,
  agentId: string,
  call: { tool: Tool; arguments: Record<string, unknown>; variables: Record<string, unknown> },
) => Promise<ToolTried>;

/** The same call as in a real conversation, of a tool that is being edited. */
export async function tryTool(
  { db, egress, faults, callToolForTry }: Pick<AgentsDeps, 'db' | 'egress' | 'faults'> & { callToolForTry: TryTool },
  orgId: string,
  agentId: string,
  { tool, arguments: args = {}, variables = {} }: TryToolBody,
): Promise<ToolTried> {
  await foundAgent(db, orgId, agentId);
  const errors = toolFaults(tool, faults.schema).map((fault) => ({ ...fault, pointer: `/tool${fault.pointer}` }));
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
  await checkAddress(egress, '/tool/url', tool.url);
  return callToolForTry(orgId, agentId, { tool, arguments: args, variables });
}
