import { ModelList } from '../../../../contract/completions.ts';
import { listCallableAgents } from '../../../features/triggers/callable-agents.ts';
import type { Route } from '../../route/route.ts';
import type { TriggerRoutesDeps } from '../triggers/deps.ts';
import { modelList } from './examples.ts';

/** Lists the agents that the key may call. */
export const listModelsRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/openai/v1/models',
  access: { permission: 'triggers' },
  limit: 'triggers',
  operation: {
    id: 'listModels',
    summary: 'List models',
    description:
      'The enabled agents that have an enabled trigger, oldest first, at most 1,000. An agent key lists only its agent.',
    tag: 'OpenAI',
    examples: { 200: modelList },
  },
  responses: { 200: ModelList },
  async handle({ admission: { caller } }): Promise<ModelList> {
    const agents = await listCallableAgents(deps, caller.orgId, caller.scope === 'agent' ? caller.agentId : null);
    return {
      object: 'list',
      data: agents.map(({ id, name, createdAt }) => ({
        id,
        object: 'model',
        created: Math.floor(createdAt.getTime() / 1_000),
        owned_by: caller.orgId,
        name,
      })),
    };
  },
});
