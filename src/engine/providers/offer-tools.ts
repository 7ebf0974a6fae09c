import { jsonSchema, tool, type JSONSchema7, type ToolSet } from 'ai';
import { HAND_OFF_TOOL, SEARCH_TOOL } from '../../../contract/agents.ts';
import { schemaForModel } from './bound-arguments.ts';
import { mayHandOff } from './build-prompt.ts';
import type { Sources } from './find-sources.ts';
import { prepareCall, runTool, type ToolTurn } from './run-tool.ts';
import { searchTool } from './search-tool.ts';

/**
 * The declared tools, the search where the model has only a part of the documents, and the hand-off to a human. The
 * hand-off has nothing to execute, which ends the turn: its arguments are read from the call.
 */
export function offerTools(turn: ToolTurn, sources: Sources): ToolSet {
  const { request } = turn;
  const tools: ToolSet = {};
  if (!sources.whole) tools[SEARCH_TOOL] = searchTool(sources, request.signal, turn.steps);
  for (const declared of request.agent.definition.tools ?? []) {
    tools[declared.name] = tool({
      description: declared.description,
      inputSchema: jsonSchema(schemaForModel(declared) as JSONSchema7),
      execute: async (args: unknown) => {
        const call = prepareCall(declared, args, turn);
        return 'fault' in call ? call.fault : runTool(declared, call, turn);
      },
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
