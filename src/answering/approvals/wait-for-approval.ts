import { newId } from '../../kernel/ids.ts';
import type { StoredCall } from '../../engine/providers/stored-call.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { CompletedTurn } from '../../store/runs/complete.ts';

const MINUTE_MS = 60_000;

/** Returns the decisions that were not yet passed to the agent. */
export const decisionsIn = ({ approvals }: Pick<ClaimedRun, 'approvals'>): string[] =>
  approvals.flatMap(({ id, status }) => (status === 'pending' ? [] : [id]));

/** A tool call that waits for its approval. */
export const newApproval = (call: StoredCall): CompletedTurn['approvals'][number] => ({
  id: newId('approval'),
  call,
  expiresInSeconds: ((call.tool.approval?.timeout_minutes ?? 0) * MINUTE_MS) / 1_000,
});

/**
 * A run with an open tool call waits for the approval instead of the person. If the turn answered a message but did not
 * report a decision, another turn is due immediately. A turn that ends its run requests no approvals.
 */
export function waitForApproval(run: ClaimedRun, turn: CompletedTurn): CompletedTurn {
  if (turn.status !== 'waiting_for_user') return { ...turn, approvals: [] };
  const isDue = decisionsIn(run).some((id) => !turn.readApprovals.includes(id));
  const isPending = turn.approvals.length > 0 || run.approvals.some(({ status }) => status === 'pending');
  return isDue || isPending ? { ...turn, status: 'waiting_for_approval', isDue } : turn;
}
