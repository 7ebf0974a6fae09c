import { jsonSchema, tool, type JSONSchema7, type ToolSet } from 'ai';
import { HAND_OFF_TOOL } from '../../../contract/agents.ts';
import type { TurnRequest, TurnTrace } from '../provider.ts';
import { mayHandOff } from './build-prompt.ts';
import { type CallTool, runTool } from './run-tool.ts';

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
      execute: (args: unknown) => runTool(declared, args, request, callTool, steps),
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
