import type { Triggers } from '../../../features/triggers/triggers.ts';
import type { Paging } from '../../route/paging.ts';
import type { Route } from '../../route/route.ts';
import { cancelRun } from './cancel-run.ts';
import { listRuns } from './list-runs.ts';
import { readRun } from './read-run.ts';
import { startConversation } from './start-conversation.ts';

export type TriggerRoutesDeps = { triggers: Triggers; paging: Paging; baseUrl: string };

export const triggerRoutes = (deps: TriggerRoutesDeps): Route[] => [
  startConversation(deps), // POST /api/triggers/:agent_id/:trigger_id
  listRuns(deps), // GET …/runs
  readRun(deps), // GET …/runs/:run_id
  cancelRun(deps), // POST …/runs/:run_id/cancel
];
