import { Type } from 'typebox';
import { ApprovalRecord } from '../../../../contract/approvals.ts';
import { APPROVAL_STATUSES } from '../../../../contract/approval-limits.ts';
import { EVENT_EXAMPLES } from '../../../../contract/event-examples.ts';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { listApprovals } from '../../../features/approvals/list-approvals.ts';
import { pageOf } from '../../route/page-schema.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import type { Route } from '../../route/route.ts';
import type { ApprovalRoutesDeps } from './deps.ts';

type ApprovalsQuery = { limit?: number; cursor?: string; status?: ApprovalRecord['status'] };

/** Lists the pending and decided approvals of tool calls, newest first. */
export const listApprovalsRoute = (deps: ApprovalRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/approvals',
  access: { permission: 'triggers' },
  operation: {
    id: 'listApprovals',
    summary: 'List approvals',
    description: 'Newest first. `status` filters. An agent key lists the approvals of its agent.',
    tag: 'Approvals',
    examples: { 200: { data: [EVENT_EXAMPLES['approval.requested']], next_cursor: null, has_more: false } },
  },
  query: Type.Object({ ...PageQuery, status: Type.Optional(Type.Enum(APPROVAL_STATUSES)) }),
  responses: { 200: pageOf(ApprovalRecord, 'ApprovalPage') },
  async handle(request) {
    const { caller } = request.admission;
    const { limit = DEFAULT_PAGE, cursor, status } = request.query as ApprovalsQuery;
    const agentId = caller.scope === 'agent' ? caller.agentId : null;
    const scope = cursorScope('approvals', caller.orgId, { status, agent: agentId ?? undefined });
    const page = { limit, after: deps.paging.after(scope, cursor) };
    return deps.paging.page(scope, await listApprovals(deps, caller.orgId, { status, agentId }, page));
  },
});
