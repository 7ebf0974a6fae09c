import { decideAsMember } from '../../features/approvals/decide-approval.ts';
import type { ApprovalsDeps } from '../../features/approvals/deps.ts';
import { listApprovalsForMembers } from '../../features/approvals/list-approvals.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for tool calls that wait for an approval. */
export const approvalRoutes = ({ route, deps }: RouteDeps<ApprovalsDeps>): Route[] => [
  route('listApprovals', ({ orgId, query: { status, agent_id: agentId }, paged }) =>
    paged({ status, agentId }, (page) => listApprovalsForMembers(deps, orgId, { status, agentId }, page)),
  ),
  route('decideApproval', ({ orgId, params, body, actor }) =>
    decideAsMember(deps, orgId, params.approval_id, body, actor),
  ),
];
