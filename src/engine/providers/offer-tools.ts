import { hash } from 'node:crypto';
import { jsonSchema, tool, type JSONSchema7, type ToolSet } from 'ai';
import { HAND_OFF_TOOL, type Tool } from '../../../contract/agents.ts';
import type { TurnRequest, TurnTrace } from '../provider.ts';
import { mayHandOff } from './build-prompt.ts';

/**
 * Calls a declared tool. The model may read an error's message, so it contains no secret. The idempotency key is the
 * same when a turn is retried after a crash; null in a dashboard try, which stores nothing.
 */
export type CallTool = (
  tool: Tool,
  args: unknown,
  signal: AbortSignal,
  idempotencyKey: string | null,
) => Promise<unknown>;

/** How much of a tool's answer the model reads. */
const MAX_RESULT_CHARACTERS = 16_000;
const MAX_TRACED_CHARACTERS = 1_000;

/**
 * The declared tools, plus the hand-off to a human. The hand-off has nothing to execute, which ends the turn: its
 * arguments are read from the call.
 */
export function offerTools(request: TurnRequest, callTool: CallTool, steps: TurnTrace['steps']): ToolSet {
  const tools: ToolSet = {};
  for (const declared of request.agent.definition.tools ?? []) {
    tools[declared.name] = tool({
      description: declared.description,
      inputSchema: jsonSchema(declared.parameters as JSONSchema7),
      execute: (args: unknown) => execute(declared, args, request, callTool, steps),
    });
  }
  if (mayHandOff(request.agent.definition)) {
    tools[HAND_OFF_TOOL] = tool({
      description: 'Hands the conversation over to a human colleague, who answers from then on.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: {
          reason: { type: 'string', description: 'For the colleague: why, in one sentence.' },
          message: { type: 'string', description: 'For the person, in their language: that a human takes over.' },
        },
        required: ['reason', 'message'],
        additionalProperties: false,
      }),
    });
  }
  return tools;
}

async function execute(
  declared: Tool,
  args: unknown,
  { signal, turn_id }: Pick<TurnRequest, 'signal' | 'turn_id'>,
  callTool: CallTool,
  steps: TurnTrace['steps'],
): Promise<string> {
  const input = asText(args).slice(0, MAX_TRACED_CHARACTERS);
  try {
    const result = asText(
      await callTool(declared, args, signal, turn_id === undefined ? null : keyOf(turn_id, declared, args)),
    );
    steps.push({ kind: 'tool', detail: declared.name, input, output: result.slice(0, MAX_TRACED_CHARACTERS) });
    return result.slice(0, MAX_RESULT_CHARACTERS);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The error goes to the model, so that it can report it or choose another way; a broken tool must not silence the
    // agent.
    const sentence = error instanceof Error ? error.message : 'The tool failed.';
    steps.push({ kind: 'tool_failed', detail: declared.name, input, error: sentence });
    return JSON.stringify({ error: sentence.slice(0, MAX_RESULT_CHARACTERS) });
  }
}

const keyOf = (turnId: string, { name }: Tool, args: unknown): string =>
  hash('sha256', JSON.stringify([turnId, name, args]), 'base64url');

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
