import { Type, type Static } from 'typebox';
import { ApprovalRecord } from '../approvals.ts';
import { APPROVAL_STATUSES } from '../approval-limits.ts';
import { Id, Nullable, PageQuery } from './shapes.ts';

const entry = {
  ...ApprovalRecord.properties,
  /**
   * The ID of the member or of the API key that decided. The value is `system` if no one decided. Null: the approval is
   * not decided yet.
   */
  decided_by: Nullable(Type.String()),
  /** Null: the call was not made. The field `error` is the reason why the call failed. */
  outcome: Nullable(Type.Object({ error: Nullable(Type.String()) })),
};

export const ApprovalEntry = Type.Object(entry, { title: 'ApprovalEntry' });
export type ApprovalEntry = Static<typeof ApprovalEntry>;

export const ListedApproval = Type.Object(
  { ...entry, end_user: Type.Object({ id: Type.String(), name: Nullable(Type.String()) }) },
  { title: 'ListedApproval' },
);
export type ListedApproval = Static<typeof ListedApproval>;

export const ApprovalListQuery = PageQuery({
  status: Type.Optional(Type.Enum(APPROVAL_STATUSES)),
  agent_id: Type.Optional(Id('agent')),
});
