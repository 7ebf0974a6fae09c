import { Type } from 'typebox';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { RunFilters, RunRecord } from '../../../../contract/triggers.ts';
import { pageOf } from '../../route/page-schema.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import { listRuns, runFilter } from '../../../features/triggers/read-runs.ts';
import type { Route } from '../../route/route.ts';
import { runRecord } from './examples.ts';
import type { TriggerRoutesDeps } from './deps.ts';

type RunsQuery = {
  limit?: number;
  cursor?: string;
  status?: string;
  created_after?: string;
  created_before?: string;
};

/** Lists the runs of a trigger, newest first. */
export const listRunsRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/triggers/:agent_id/:trigger_id/runs',
  access: { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id' },
  operation: {
    id: 'listRuns',
    summary: 'List runs',
    description: 'Newest first. Filters: `status`, `created_after` (from this moment on) and `created_before`.',
    tag: 'Triggers',
    examples: { 200: { data: [runRecord], next_cursor: null, has_more: false } },
  },
  query: Type.Object({
    ...PageQuery,
    ...RunFilters,
  }),
  responses: { 200: pageOf(RunRecord, 'RunPage') },
  async handle(request) {
    const { caller, trigger } = request.admission;
    const query = request.query as RunsQuery;
    const { limit = DEFAULT_PAGE, cursor, status, created_after, created_before } = query;
    const scope = cursorScope('runs', caller.orgId, { trigger: trigger!.id, status, created_after, created_before });
    const after = deps.paging.after(scope, cursor);
    const filter = runFilter(trigger!.id, { status, created_after, created_before });
    const page = await listRuns(deps, caller.orgId, filter, { limit, after });
    return deps.paging.page(scope, page);
  },
});
