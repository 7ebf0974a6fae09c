import type { Route } from '../../route/route.ts';
import { cancelRunRoute } from './cancel-run.ts';
import { followRunRoute } from './follow-run.ts';
import { listMessagesRoute } from './list-messages.ts';
import { listRunsRoute } from './list-runs.ts';
import { readRunRoute } from './read-run.ts';
import { startConversationRoute } from './start-conversation.ts';
import type { TriggerRoutesDeps } from './deps.ts';

export const triggerRoutes = (deps: TriggerRoutesDeps): Route[] => [
  startConversationRoute(deps), // POST /api/triggers/:agent_id/:trigger_id
  listRunsRoute(deps), // GET …/runs
  readRunRoute(deps), // GET …/runs/:run_id
  followRunRoute(deps), // GET …/runs/:run_id/events
  cancelRunRoute(deps), // POST …/runs/:run_id/cancel
  listMessagesRoute(deps), // GET …/conversations/:conversation_id/messages
];
