import { hash, randomUUID } from 'node:crypto';
import type { Tool } from '../../../contract/agents.ts';
import type { ToolContext } from '../../../contract/tools.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { contentJson } from '../../kernel/traces/content-json.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { CalledTool } from '../conversation-memory.ts';
import type { TurnRequest } from '../provider.ts';
import type { TurnTrace } from '../turn-trace.ts';
import { bindArguments, noValueFor, withoutBound } from './bind-arguments.ts';
import { templateVariables } from './build-prompt.ts';
import type { Allowance } from './check-arguments.ts';
import type { PreparedCall, StoredCall } from './stored-call.ts';

/** Makes one call of a declared tool. The promise rejects only with the signal's reason. */
export type CallTool = (call: ToolRequest) => Promise<ToolAnswer>;

/** Finds the names of the tools that the MCP server has changed since their approval, or no longer offers. */
export type FindChangedTools = (
  request: Pick<TurnRequest, 'agent' | 'context' | 'signal' | 'turn_id'>,
) => Promise<Set<string>>;

export type ToolRequest = {
  tool: Tool;
  arguments: Record<string, unknown>;
  context: Omit<ToolContext, 'attempt'>;
  signal: AbortSignal;
  /** A `traceparent` for the receiver of the call. */
  trace?: string;
};

export type ToolAnswer = {
  /** The request without credentials. Null if nothing was sent. */
  sent: { url: string; headers: Record<string, string>; body: string } | null;
  attempts: number;
  /** The status of the last response. Null if no response came. */
  status: number | null;
  /** The body of the response, parsed if it is JSON. */
  result: unknown;
  /** The reason for the failure, as a sentence that the model may read. Null if the call succeeded. */
  error: string | null;
};

/** The model reads at most this many characters of a tool's answer. */
const MAX_RESULT_CHARACTERS = 16_000;
const MAX_TRACED_CHARACTERS = 1_000;
/** The context is the last part of the body, so this limit cuts it off after very long arguments. */
const MAX_SENT_CHARACTERS = 4_000;
/**
 * The schemas of tools may use this much processor time in one turn. A usual schema takes a few milliseconds on first
 * use, and later calls take none.
 */
export const CHECK_MS = 300;
/** A model may write thousands of calls into one answer, and each call is a request to a server. */
export const MAX_CALLS = 30;

export type ToolTurn = {
  request: TurnRequest;
  callTool: CallTool;
  steps: TurnTrace['steps'];
  /** The names of tools that the server has changed. The model does not receive changed tools. */
  changed: ReadonlySet<string>;
  /** The remaining processor time of the turn for schemas of tools. */
  checks: Allowance;
  /** False in the last step, because a model may call tools although it must answer. */
  mayCall: boolean;
  /** The number of tool calls that the model may still make in this turn. */
  callsLeft: number;
  /** The tool calls that were made in this turn, as the model read them. */
  called: CalledTool[];
  /** The tool call about which the person is asked at the end of this turn. */
  asking: (PreparedCall & { tool: Tool }) | null;
  /** The tool calls of this turn that wait for the approval of the team. */
  requested: StoredCall[];
};

/**
 * Prepares a tool call as the model requests it, with its bound arguments. `fault`: the text for the model if the call
 * cannot be made.
 */
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
  // A model may write a list or a text instead of an object.
  const fault = await refusalOf(tool, isRecord(given ?? {}) ? args : given, turn);
  return fault === null ? call : { fault };
}

/** Returns the text for the model about arguments that do not fit the schema. Null: the arguments fit. */
export async function refusalOf(tool: Tool, args: unknown, { steps, checks }: ToolTurn): Promise<string | null> {
  // The first call loads the library for JSON Schema.
  const { notFitting, violationsOf } = await import('./check-arguments.ts');
  const violations = violationsOf(tool, args, checks);
  if (violations.length === 0) return null;
  const input = JSON.stringify(args).slice(0, MAX_TRACED_CHARACTERS);
  const error = notFitting(violations);
  steps.push({ kind: 'tool_failed', detail: tool.name, input, sent: null, attempts: 0, error });
  return JSON.stringify({ error }).slice(0, MAX_RESULT_CHARACTERS);
}

/** Makes a call and returns the part of its answer for the model. */
export async function runTool(tool: Tool, call: PreparedCall, turn: ToolTurn): Promise<string> {
  const { result } = await callAndTrace(tool, call, turn);
  turn.called.push({ tool: tool.name, arguments: withoutBound(call.arguments, tool), result });
  return result;
}

/** Calls the tool. `result`: the text for the model. `error`: why the call failed, or null. */
export async function callAndTrace(
  tool: Tool,
  { arguments: args, idempotency_key, call_id: callId }: PreparedCall,
  { request, callTool, steps }: Pick<ToolTurn, 'request' | 'callTool' | 'steps'>,
): Promise<{ result: string; error: string | null }> {
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
    return { result: result.slice(0, MAX_RESULT_CHARACTERS), error: null };
  }
  // The model gets the error, so that it can report the error or choose another way. A broken tool must not silence the
  // agent.
  steps.push({ kind: 'tool_failed', ...traced, error: answer.error });
  const result = JSON.stringify({ error: answer.error.slice(0, MAX_RESULT_CHARACTERS) });
  return { result, error: answer.error };
}

function endOf(span: Span | undefined, args: unknown, { attempts, status, error, result }: ToolAnswer): void {
  span?.set({ 'parley.tool.attempts': attempts, 'http.response.status_code': status });
  span?.content(() => ({
    'gen_ai.tool.call.arguments': contentJson(args),
    'gen_ai.tool.call.result': contentJson(result),
  }));
  // The sentence may contain text of the receiver, so the trace gets only the code.
  span?.end(error === null ? null : status === null ? 'tool_unreachable' : `${status}`);
}

/** The key is the same if a turn is retried after a crash. In a try, which stores nothing, the key is random. */
const keyOf = ({ turn_id: turnId }: TurnRequest, { name }: Tool, args: unknown): string =>
  hash('sha256', JSON.stringify([turnId ?? randomUUID(), name, args]), 'base64url');

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
