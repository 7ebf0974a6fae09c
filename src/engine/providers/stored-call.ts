import type { Tool } from '../../../contract/agents.ts';
import type { TurnTrace } from '../turn-trace.ts';

/** A tool call with all its data, which can be made now or after the person agrees. */
export type PreparedCall = {
  arguments: Record<string, unknown>;
  idempotency_key: string;
  /** The model's own ID of the call. */
  call_id?: string;
};

/**
 * A tool call that needs the approval of the team. The turn does not wait: the model reads that the call waits, and
 * answers the person. After the decision, a later turn gets the result. The arguments and the idempotency key are
 * stored with the request, so the approved call is exactly the requested call.
 */
export type StoredCall = PreparedCall & { tool: Tool };

/** The outcome of an approved call, with the text for the model and the steps for the trace. */
export type ApprovalOutcome = { result: string; steps: TurnTrace['steps']; error: string | null };

/** The decision, or the text that there is no decision yet. */
export type KnownApproval = StoredCall & {
  id: string;
  status: 'pending' | 'approved' | 'denied';
  reason: string | null;
  outcome: ApprovalOutcome | null;
};

/** The decision about a tool call in a try or a test, where no member decides. */
export type DecideInPlace = (call: StoredCall) => { approved: boolean };
