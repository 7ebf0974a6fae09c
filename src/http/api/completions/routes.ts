import type { Route } from '../../route/route.ts';
import type { TriggerRoutesDeps } from '../triggers/deps.ts';
import { createCompletionRoute } from './create-completion.ts';
import { listModelsRoute } from './list-models.ts';

/** Agents as models of OpenAI's API (docs/openai.md). */
export const completionRoutes = (deps: TriggerRoutesDeps): Route[] => [
  listModelsRoute(deps), // GET /api/openai/v1/models
  createCompletionRoute(deps), // POST /api/openai/v1/chat/completions
];
