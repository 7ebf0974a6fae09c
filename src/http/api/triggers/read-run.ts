import { Type } from 'typebox';
import { Refusal } from '../../../../contract/problems.ts';
import { RunRecord } from '../../../../contract/triggers.ts';
import { readRun } from '../../../features/triggers/read-runs.ts';
import type { Route } from '../../route/route.ts';
import { runRecord } from './examples.ts';
import type { TriggerRoutesDeps } from './deps.ts';

/** Reads one run with its status, the reason for the status, and its messages. */
export const readRunRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/triggers/:agent_id/:trigger_id/runs/:run_id',
  access: { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id', client: true },
  operation: {
    id: 'readRun',
    summary: 'Read a run',
    description:
      'The state of an accepted call. `include=messages` adds the messages, `models` adds the models that answered and their usage, and `messages,models` adds both.',
    tag: 'Triggers',
    examples: { 200: runRecord },
  },
  query: Type.Object({ include: Type.Optional(Type.Enum(['messages', 'models', 'messages,models'])) }),
  responses: { 200: RunRecord },
  problems: ['run_not_found'],
  async handle(request) {
    const { caller, trigger } = request.admission;
    const { run_id: runId } = request.params as { run_id: string };
    const { include = '' } = request.query as { include?: string };
    const parts = include.split(',');
    const clientMark = caller.client?.mark;
    if (clientMark !== undefined && parts.includes('models'))
      throw new Refusal('client_token_not_allowed', 'The models of a run are shown only to API keys.');
    const options = { messages: parts.includes('messages'), models: parts.includes('models'), clientMark };
    return readRun(deps, caller.orgId, trigger!.id, runId, options);
  },
});
