import { jsonSchema, tool, type JSONSchema7, type ToolSet } from 'ai';
import { HAND_OFF_TOOL, SEARCH_TOOL, type Tool } from '../../../contract/agents.ts';
import { schemaForModel } from './bind-arguments.ts';
import { mayHandOff } from './build-prompt.ts';
import type { Sources } from './find-sources.ts';
import { requestApproval } from './request-approval.ts';
import { prepareCall, runTool, type ToolTurn } from './run-tool.ts';
import type { PreparedCall } from './stored-call.ts';
import { searchTool } from './search-tool.ts';

/**
 * Offers the declared tools, the search tool if the model has only some of the documents, and the hand-off to a human.
 * The hand-off has no function to execute, so its call ends the turn. The result of the turn takes the arguments of the
 * hand-off from the call.
 */
export function offerTools(turn: ToolTurn, sources: Sources): ToolSet {
  const { request } = turn;
  const tools: ToolSet = {};
  if (!sources.whole) tools[SEARCH_TOOL] = searchTool(sources, request.signal, turn.steps);
  for (const declared of request.agent.definition.tools ?? []) {
    if (turn.changed.has(declared.name)) {
      turn.steps.push({ kind: 'tool_changed', detail: declared.name, error: 'Changed since it was approved.' });
      continue;
    }
    tools[declared.name] = tool({
      description: declared.description,
      inputSchema: jsonSchema(schemaForModel(declared) as JSONSchema7),
      execute: async (args: unknown, { toolCallId }: { toolCallId: string }) => {
        if (!turn.mayCall || turn.callsLeft-- <= 0) return notCalled('this turn has no more calls.');
        const call = await prepareCall(declared, args, toolCallId, turn);
        if ('fault' in call) return call.fault;
        if (declared.confirm !== undefined) return askBefore(declared, call, turn);
        return declared.approval === undefined ? runTool(declared, call, turn) : requestApproval(declared, call, turn);
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

/**
 * The question's arguments are stored in the conversation's state and shown to a person, so their length is limited.
 */
const MAX_ASKED_CHARACTERS = 8_000;

/**
 * The agent asks for one confirmation at a time. The question ends the turn (generate.ts), so a second call is refused.
 */
function askBefore(declared: Tool, call: PreparedCall, turn: ToolTurn): string {
  if (turn.asking !== null) return notCalled('the person is asked about another call first.');
  if (JSON.stringify(call.arguments).length > MAX_ASKED_CHARACTERS) return notCalled('the arguments are too long.');
  turn.asking = { tool: declared, ...call };
  return 'The person is asked first.';
}

const notCalled = (why: string): string => JSON.stringify({ error: `Not called: ${why}` });
