import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition, Tool } from '../../../contract/agents.ts';
import type { TurnRequest } from '../../engine/provider.ts';
import type { ApprovalOutcome, KnownApproval, StoredCall } from '../../engine/providers/stored-call.ts';
import { callAndTrace, type CallTool } from '../../engine/providers/run-tool.ts';
import { storeOutcome } from '../../store/approvals/write.ts';
import type { Db } from '../../store/db.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';

export type CallApprovedDeps = { db: Db; callTool: CallTool };

/**
 * Makes the approved calls that were not made yet, each with the key of its request. The outcome is stored immediately,
 * so a turn that is repeated (because a message arrived or a model failed) does not call again. If this process dies
 * between call and outcome, the next worker repeats the call with the same key. The receiver never gets two idempotency
 * keys for one call.
 */
export async function callApproved(
  deps: CallApprovedDeps,
  run: ClaimedRun,
  request: TurnRequest,
): Promise<KnownApproval[]> {
  const known: KnownApproval[] = [];
  for (const { id, status, reason, call, outcome } of run.approvals) {
    const approval = { ...call, id, status, reason, outcome };
    if (status === 'approved' && outcome === null) {
      approval.outcome = await makeCall(deps, request, call);
      approval.outcome = await storeOutcome(deps.db, run.org_id, id, approval.outcome);
    }
    known.push(approval);
  }
  return known;
}

async function makeCall(
  { callTool }: CallApprovedDeps,
  request: TurnRequest,
  call: StoredCall,
): Promise<ApprovalOutcome> {
  const error = faultOf(call.tool, request.agent.definition);
  if (error !== null) {
    const step = { kind: 'tool_failed', detail: call.tool.name, error };
    return { result: JSON.stringify({ error }), steps: [step], error };
  }
  const steps: ApprovalOutcome['steps'] = [];
  // A new message does not stop the call of an approved tool, which has a separate time limit.
  const { signal } = new AbortController();
  const { result, error: failure } = await callAndTrace(call.tool, call, {
    request: { ...request, signal },
    callTool,
    steps,
  });
  return { result, steps, error: failure };
}

/**
 * The team approved a call of this tool at this address. If the tool of the agent has changed since the request, no
 * call is made.
 */
function faultOf(tool: Tool, { provider = 'embedded', tools = [] }: AgentDefinition): string | null {
  const now = tools.find(({ name }) => name === tool.name);
  if (!now || provider === 'embedded') return 'Not called: the agent does not have this tool any more.';
  const isSame = APPROVED_PARTS.every((part) => isDeepStrictEqual(now[part], tool[part]));
  return isSame ? null : 'Not called: the tool has changed since the request. Request it again if it is still needed.';
}

const APPROVED_PARTS = ['url', 'mcp', 'parameters', 'bound'] as const;
