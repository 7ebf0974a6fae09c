import { hash, randomUUID } from 'node:crypto';
import type { Tool } from '../../../contract/agents.ts';
import type { ToolContext } from '../../../contract/tools.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { TurnRequest, TurnTrace } from '../provider.ts';
import { bindArguments, noValueFor } from './bound-arguments.ts';
import { templateVariables } from './build-prompt.ts';

/** One call of a declared tool; it never rejects, except with the signal's reason. */
export type CallTool = (call: ToolRequest) => Promise<ToolAnswer>;

/** Names of the tools whose MCP server has them in another form than was approved, or no longer has them. */
export type FindChangedTools = (
  request: Pick<TurnRequest, 'agent' | 'context' | 'signal' | 'turn_id'>,
) => Promise<Set<string>>;

export type ToolRequest = {
  tool: Tool;
  arguments: Record<string, unknown>;
  context: Omit<ToolContext, 'attempt'>;
  signal: AbortSignal;
  /** A `traceparent` for the receiver. */
  trace?: string;
};

export type ToolAnswer = {
  /** What was sent, without credentials; null when nothing was. */
  sent: { url: string; headers: Record<string, string>; body: string } | null;
  attempts: number;
  /** Status of the last answer; null when there was none. */
  status: number | null;
  /** The answer's body; JSON is parsed. */
  result: unknown;
  /** Why the call failed, as a sentence that the model may read; null when it did not. */
  error: string | null;
};

/** How much of a tool's answer the model reads. */
const MAX_RESULT_CHARACTERS = 16_000;
const MAX_TRACED_CHARACTERS = 1_000;
/** The context comes last in a body: with the longest arguments it is cut off. */
const MAX_SENT_CHARACTERS = 4_000;

export type ToolTurn = {
  request: TurnRequest;
  callTool: CallTool;
  steps: TurnTrace['steps'];
  /** Names of tools that wait for approval: the model does not get them. */
  changed: ReadonlySet<string>;
  /** The call that the person is asked about at the end of this turn. */
  asking: (PreparedCall & { tool: Tool }) | null;
};

/** A call with everything that it needs, so that it can be made now, or after the person agreed. */
export type PreparedCall = { arguments: Record<string, unknown>; idempotency_key: string };

/** A call as the model wants it, with its bound arguments. `fault`: what to tell the model instead of calling. */
export function prepareCall(
  tool: Tool,
  given: unknown,
  { request, steps }: ToolTurn,
): PreparedCall | { fault: string } {
  const { arguments: args, missing } = bindArguments(tool, given, templateVariables(request));
  if (missing.length === 0) return { arguments: args, idempotency_key: keyOf(request, tool, args) };
  const error = noValueFor(missing);
  steps.push({ kind: 'tool_failed', detail: tool.name, error });
  return { fault: JSON.stringify({ error }) };
}

/** Makes a call, and returns what the model reads of the answer. */
export async function runTool(
  tool: Tool,
  { arguments: args, idempotency_key }: PreparedCall,
  { request, callTool, steps }: ToolTurn,
): Promise<string> {
  const context = { ...request.context, idempotency_key };
  request.calls?.tool();
  const span = request.span?.child(`execute_tool ${tool.name}`, 'client', {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.type': 'function',
  });
  const { signal } = request;
  const answer = await callTool({
    tool,
    arguments: args,
    context,
    signal,
    ...(span && { trace: span.traceparent }),
  }).catch((error: unknown) => {
    span?.end('aborted');
    throw error;
  });
  endOf(span, args, answer);
  const traced = {
    detail: tool.name,
    input: JSON.stringify(args).slice(0, MAX_TRACED_CHARACTERS),
    sent: answer.sent?.body.slice(0, MAX_SENT_CHARACTERS) ?? null,
    signed: answer.sent?.headers['webhook-signature'] !== undefined,
    attempts: answer.attempts,
    status: answer.status,
  };
  if (answer.error === null) {
    const result = asText(answer.result);
    steps.push({ kind: 'tool', ...traced, output: result.slice(0, MAX_TRACED_CHARACTERS) });
    return result.slice(0, MAX_RESULT_CHARACTERS);
  }
  // The error goes to the model, so that it can report it or choose another way; a broken tool must not silence the
  // agent.
  steps.push({ kind: 'tool_failed', ...traced, error: answer.error });
  return JSON.stringify({ error: answer.error.slice(0, MAX_RESULT_CHARACTERS) });
}

function endOf(span: Span | undefined, args: unknown, { attempts, status, error, result }: ToolAnswer): void {
  span?.set({ 'parley.tool.attempts': attempts, 'http.response.status_code': status });
  span?.content(() => ({
    'gen_ai.tool.call.arguments': JSON.stringify(args),
    'gen_ai.tool.call.result': asText(result),
  }));
  // The sentence may hold words of the receiver; the code does not.
  span?.end(error === null ? null : status === null ? 'tool_unreachable' : `${status}`);
}

/** The same when a turn is retried after a crash; random in a try, which stores nothing. */
const keyOf = ({ turn_id: turnId }: TurnRequest, { name }: Tool, args: unknown): string =>
  hash('sha256', JSON.stringify([turnId ?? randomUUID(), name, args]), 'base64url');

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
