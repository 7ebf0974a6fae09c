import type { ApprovalRecord } from '../../../contract/approvals.ts';
import type { ListedApproval } from '../../../contract/dashboard/approvals.ts';
import { type ApprovalFilter, listApprovalRows } from '../../store/approvals/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { ApprovalsDeps } from './deps.ts';
import { presentApproval, presentListed } from '../../store/approvals/present.ts';

type Deps = Pick<ApprovalsDeps, 'db'>;

/** Lists approvals for a backend. An agent key lists the approvals of its agent. */
export async function listApprovals(
  { db }: Deps,
  orgId: string,
  filter: ApprovalFilter,
  page: PageRequest,
): Promise<PageOf<ApprovalRecord>> {
  const { rows, hasMore } = await listApprovalRows(db, orgId, filter, page);
  return { rows: rows.map(presentApproval), hasMore };
}

/** Lists approvals for members, with the person of each conversation. */
export async function listApprovalsForMembers(
  { db }: Deps,
  orgId: string,
  filter: ApprovalFilter,
  page: PageRequest,
): Promise<PageOf<ListedApproval>> {
  const { rows, hasMore } = await listApprovalRows(db, orgId, filter, page);
  return { rows: rows.map(presentListed), hasMore };
}
