import type { ApprovalRecord } from '../../../../contract/approvals.ts';
import { APPROVAL_STATUSES } from '../../../../contract/approval-limits.ts';
import { textIn, type RawSearch } from '../../list/read-search.ts';

export type ApprovalFilters = { status?: ApprovalRecord['status']; agent_id?: string };

export const readApprovalsSearch = (raw: RawSearch): ApprovalFilters & { cursor?: string } => ({
  status: APPROVAL_STATUSES.find((status) => status === raw['status']),
  agent_id: textIn(raw, 'agent_id'),
  cursor: textIn(raw, 'cursor'),
});
