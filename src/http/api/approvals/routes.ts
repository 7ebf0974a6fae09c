import type { ApprovalsDeps } from '../../../features/approvals/deps.ts';
import type { Paging } from '../../route/paging.ts';
import type { Route } from '../../route/route.ts';
import { decideApprovalRoute } from './decide-approval.ts';
import { listApprovalsRoute } from './list-approvals.ts';

export type ApprovalRoutesDeps = ApprovalsDeps & { paging: Paging };

export const approvalRoutes = (deps: ApprovalRoutesDeps): Route[] => [
  listApprovalsRoute(deps), // GET /api/approvals
  decideApprovalRoute(deps), // POST /api/approvals/:approval_id
];
