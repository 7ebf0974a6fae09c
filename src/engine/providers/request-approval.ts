import type { Tool } from '../../../contract/agents.ts';
import { MAX_PENDING_APPROVALS } from '../../../contract/approval-limits.ts';
import type { TurnTrace } from '../turn-trace.ts';
import { withoutBound } from './bind-arguments.ts';
import { runTool, type ToolTurn } from './run-tool.ts';
import type { KnownApproval, PreparedCall, StoredCall } from './stored-call.ts';

/** Members see the arguments, so their length is limited. */
const MAX_ARGUMENT_CHARACTERS = 8_000;
const MAX_TRACED_CHARACTERS = 1_000;

/** Requests the approval of a call, and returns the text for the model. */
export async function requestApproval(tool: Tool, call: PreparedCall, turn: ToolTurn): Promise<string> {
  const { request, steps, called } = turn;
  const wanted: StoredCall = { ...call, tool };
  const input = JSON.stringify(call.arguments);
  if (input.length > MAX_ARGUMENT_CHARACTERS) return notRequested('the arguments are too long.');
  if (request.decideApproval) return decideInPlace(wanted, turn);
  const waiting = [...(request.approvals ?? []).filter(({ status }) => status === 'pending'), ...turn.requested];
  if (!waiting.some((one) => one.tool.name === tool.name && JSON.stringify(one.arguments) === input)) {
    if (waiting.length >= MAX_PENDING_APPROVALS) return notRequested('too many calls wait for an approval.');
    turn.requested.push(wanted);
  }
  steps.push({ kind: 'tool_waits', detail: tool.name, input: input.slice(0, MAX_TRACED_CHARACTERS) });
  called.push({ tool: tool.name, arguments: withoutBound(call.arguments, tool), result: WAITS });
  return WAITS;
}

const notRequested = (why: string): string => JSON.stringify({ error: `Not called: ${why}` });

const WAITS = JSON.stringify({
  decision: 'pending',
  detail: 'Not called yet: a member of the team decides first. You will get the result later. Tell the person.',
});

async function decideInPlace(call: StoredCall, turn: ToolTurn): Promise<string> {
  const { approved } = turn.request.decideApproval!(call);
  turn.steps.push(decisionStep(call, approved, null));
  return approved
    ? decisionText({ approved, reason: null, result: await runTool(call.tool, call, turn) })
    : decisionText({ approved, reason: null });
}

/** Returns the decisions that the agent does not know yet. */
export const decisionsIn = (approvals: readonly KnownApproval[] = []): KnownApproval[] =>
  approvals.filter(({ status }) => status !== 'pending');

export const decisionStep = (
  { tool, arguments: args }: Pick<StoredCall, 'tool' | 'arguments'>,
  approved: boolean,
  reason: string | null,
): TurnTrace['steps'][number] => ({
  kind: approved ? 'tool_approved' : 'tool_denied',
  detail: tool.name,
  input: JSON.stringify(args).slice(0, MAX_TRACED_CHARACTERS),
  ...(reason !== null && { reason }),
});

/** Writes the decision, its reason and the result for the model. */
export function decisionText({
  approved,
  reason,
  result,
}: {
  approved: boolean;
  reason: string | null;
  result?: string;
}): string {
  const why = reason === null ? {} : { reason };
  return approved
    ? JSON.stringify({ decision: 'approved', ...why, result })
    : JSON.stringify({ decision: 'denied', ...why, error: 'Not called: the team denied this call.' });
}
