import { ApprovalRecord, DecideApprovalBody } from '../../../../contract/approvals.ts';
import { EVENT_EXAMPLES } from '../../../../contract/event-examples.ts';
import { decideByKey } from '../../../features/approvals/decide-approval.ts';
import type { Route } from '../../route/route.ts';
import type { ApprovalRoutesDeps } from './deps.ts';

/** A backend approves or denies a tool call. */
export const decideApprovalRoute = (deps: ApprovalRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/approvals/:approval_id',
  access: { permission: 'triggers' },
  limit: 'triggers',
  operation: {
    id: 'decideApproval',
    summary: 'Approve or deny a tool call',
    description:
      'The first decision counts. A repetition of the same decision returns the approval again. Parley makes an approved call once, and the agent gets the decision, its reason and the result. An agent key decides only about calls of its agent.',
    tag: 'Approvals',
    example: { decision: 'approve', reason: 'Below the limit for refunds.' },
    examples: {
      200: {
        ...EVENT_EXAMPLES['approval.requested'],
        status: 'approved',
        reason: 'Below the limit for refunds.',
        decided_at: '2026-11-21T06:05:00.000Z',
      },
    },
  },
  body: DecideApprovalBody,
  idempotent: true,
  responses: { 200: ApprovalRecord },
  problems: ['approval_not_found', 'approval_decided'],
  async handle(request, reply) {
    const { caller, from } = request.admission;
    const { approval_id: id } = request.params as { approval_id: string };
    const agentId = caller.scope === 'agent' ? caller.agentId : null;
    const { answer, replayed } = await decideByKey(
      deps,
      {
        orgId: caller.orgId,
        keyId: caller.keyId,
        agentId,
        from,
        address: request.ip,
        requestId: request.requestId,
        idempotency: request.idempotency,
      },
      id,
      request.body as DecideApprovalBody,
    );
    if (replayed) reply.header('idempotent-replayed', 'true');
    return answer.body;
  },
});
