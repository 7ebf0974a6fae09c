import type { ApprovalsDeps } from '../../../features/approvals/deps.ts';
import type { Paging } from '../../route/paging.ts';

/** The dependencies of the routes in this folder. */
export type ApprovalRoutesDeps = ApprovalsDeps & { paging: Paging };
