import { hash, randomUUID } from 'node:crypto';
import type { Tool } from '../../../contract/agents.ts';
import type { ToolContext } from '../../../contract/tools.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { contentJson } from '../../kernel/traces/content-json.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { CalledTool } from '../memory.ts';
import type { TurnRequest, TurnTrace } from '../provider.ts';
import { bindArguments, noValueFor, withoutBound } from './bound-arguments.ts';
import { templateVariables } from './build-prompt.ts';
import type { Allowance } from './check-arguments.ts';

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
/** Processor time for the schemas of tools in one turn. A usual schema takes a few milliseconds once, and nothing after that. */
export const CHECK_MS = 300;

export type ToolTurn = {
  request: TurnRequest;
  callTool: CallTool;
  steps: TurnTrace['steps'];
  /** Names of tools that wait for approval: the model does not get them. */
  changed: ReadonlySet<string>;
  /** What the turn may still spend on schemas of tools. */
  checks: Allowance;
  /** False in the last step: a model may call tools although it must answer. */
  mayCall: boolean;
  /** The calls that were made in this turn, as the model read them. */
  called: CalledTool[];
  /** The call that the person is asked about at the end of this turn. */
  asking: (PreparedCall & { tool: Tool }) | null;
};

/** A call with everything that it needs, so that it can be made now, or after the person agreed. */
export type PreparedCall = {
  arguments: Record<string, unknown>;
  idempotency_key: string;
  /** The model's own id of the call. */
  call_id?: string;
};

/** A call as the model requests it, with its bound arguments. `fault`: what the model reads if there is no call. */
export async function prepareCall(
  tool: Tool,
  given: unknown,
  callId: string,
  turn: ToolTurn,
): Promise<PreparedCall | { fault: string }> {
  const { request, steps } = turn;
  const { arguments: args, missing } = bindArguments(tool, given, templateVariables(request));
  if (missing.length > 0) {
    const error = noValueFor(missing);
    steps.push({ kind: 'tool_failed', detail: tool.name, error });
    return { fault: JSON.stringify({ error }) };
  }
  const call = { arguments: args, idempotency_key: keyOf(request, tool, args), call_id: callId };
  // A model may write a list or a text in place of an object.
  const fault = await refusalOf(tool, isRecord(given ?? {}) ? args : given, turn);
  return fault === null ? call : { fault };
}

/** What the model reads of a call whose arguments do not fit the schema; null when they fit. */
export async function refusalOf(tool: Tool, args: unknown, { steps, checks }: ToolTurn): Promise<string | null> {
  // The library for JSON Schema is read with the first call.
  const { notFitting, violationsOf } = await import('./check-arguments.ts');
  const violations = violationsOf(tool, args, checks);
  if (violations.length === 0) return null;
  const input = JSON.stringify(args).slice(0, MAX_TRACED_CHARACTERS);
  const error = notFitting(violations);
  steps.push({ kind: 'tool_failed', detail: tool.name, input, sent: null, attempts: 0, error });
  return JSON.stringify({ error }).slice(0, MAX_RESULT_CHARACTERS);
}

/** Makes a call, and returns what the model reads of the answer. */
export async function runTool(tool: Tool, call: PreparedCall, turn: ToolTurn): Promise<string> {
  const result = await callAndTrace(tool, call, turn);
  turn.called.push({ tool: tool.name, arguments: withoutBound(call.arguments, tool), result });
  return result;
}

async function callAndTrace(
  tool: Tool,
  { arguments: args, idempotency_key, call_id: callId }: PreparedCall,
  { request, callTool, steps }: ToolTurn,
): Promise<string> {
  const context = { ...request.context, idempotency_key };
  request.calls?.tool();
  const span = request.span?.child(`execute_tool ${tool.name}`, 'client', {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': callId,
    'gen_ai.tool.description': tool.description,
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
    'gen_ai.tool.call.arguments': contentJson(args),
    'gen_ai.tool.call.result': contentJson(result),
  }));
  // The sentence may hold words of the receiver; the code does not.
  span?.end(error === null ? null : status === null ? 'tool_unreachable' : `${status}`);
}

/** The same when a turn is retried after a crash; random in a try, which stores nothing. */
const keyOf = ({ turn_id: turnId }: TurnRequest, { name }: Tool, args: unknown): string =>
  hash('sha256', JSON.stringify([turnId ?? randomUUID(), name, args]), 'base64url');

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
