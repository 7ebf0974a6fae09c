import type { ApprovalRecord } from '../../../contract/approvals.ts';
import type { ApprovalEntry, ListedApproval } from '../../../contract/dashboard/approvals.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ApprovalRow, NamedApprovalRow } from './read.ts';

export const presentApproval = (row: ApprovalRow): ApprovalRecord => ({
  id: row.id,
  status: row.status as ApprovalRecord['status'],
  agent_id: row.agentId,
  run_id: row.runId,
  conversation_id: row.conversationId,
  tool: row.call.tool.name,
  arguments: row.call.arguments,
  reason: row.reason,
  created_at: timestamp(row.createdAt),
  expires_at: timestamp(row.expiresAt),
  decided_at: row.decidedAt && timestamp(row.decidedAt),
});

/** The record of an approval for members, with the person who decided and the outcome of the approved call. */
export const presentEntry = (row: ApprovalRow): ApprovalEntry => ({
  ...presentApproval(row),
  decided_by: row.decidedBy,
  outcome: row.outcome && { error: row.outcome.error },
});

export const presentListed = (row: NamedApprovalRow): ListedApproval => ({
  ...presentEntry(row),
  end_user: { id: row.endUserId, name: row.endUserName },
});
