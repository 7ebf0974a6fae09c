import type { Route } from '../../route/route.ts';
import { decideApprovalRoute } from './decide-approval.ts';
import { listApprovalsRoute } from './list-approvals.ts';
import type { ApprovalRoutesDeps } from './deps.ts';

export const approvalRoutes = (deps: ApprovalRoutesDeps): Route[] => [
  listApprovalsRoute(deps), // GET /api/approvals
  decideApprovalRoute(deps), // POST /api/approvals/:approval_id
];
