import { Type, type Static } from 'typebox';
import {
  APPROVAL_STATUSES,
  APPROVAL_DECISIONS,
  MAX_REASON_CHARACTERS,
  MAX_APPROVAL_MINUTES,
} from './approval-limits.ts';

const closed = { additionalProperties: false };
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A tool call that waits for a decision of the team, or has waited for one. */
export const ApprovalRecord = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum(APPROVAL_STATUSES),
    agent_id: Type.String(),
    run_id: Type.String({ description: 'The run that continues after the decision.' }),
    conversation_id: Type.String(),
    tool: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The arguments of the call. They cannot change after the request.',
    }),
    reason: nullable(
      'The reason of the decision. If no one decided: `timeout`, or why the run ended, e.g. `handed_off`, `resolved`, `cancelled`.',
    ),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
    decided_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'Approval' },
);
export type ApprovalRecord = Static<typeof ApprovalRecord>;

export const DecideApprovalBody = Type.Object(
  {
    decision: Type.Enum(APPROVAL_DECISIONS),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_REASON_CHARACTERS,
        description: 'The agent reads it, and may repeat it to the person.',
      }),
    ),
  },
  { ...closed, title: 'DecideApproval' },
);
export type DecideApprovalBody = Static<typeof DecideApprovalBody>;

/** The part of a tool definition that requires an approval. */
export const ToolApproval = Type.Object(
  { timeout_minutes: Type.Integer({ minimum: 1, maximum: MAX_APPROVAL_MINUTES }) },
  {
    ...closed,
    description:
      'The call waits until a member or a backend approves it. Without a decision in this time, it is denied.',
  },
);
