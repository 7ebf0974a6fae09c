/** The values of approvals that the dashboard needs before it loads a page, so this file imports nothing. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'denied'] as const;
export const APPROVAL_DECISIONS = ['approve', 'deny'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export const MAX_REASON_CHARACTERS = 1_000;
/** The limit is seven days. */
export const MAX_APPROVAL_MINUTES = 10_080;
/** One conversation has at most this many calls that wait at the same time. */
export const MAX_PENDING_APPROVALS = 5;
