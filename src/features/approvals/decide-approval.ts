import type { ApprovalRecord, DecideApprovalBody } from '../../../contract/approvals.ts';
import type { ApprovalEntry } from '../../../contract/dashboard/approvals.ts';
import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import { mayAnswer } from '../../access/sessions/may-answer.ts';
import { type ApprovalRow, findApproval } from '../../store/approvals/read.ts';
import { lockApproval, writeDecision } from '../../store/approvals/write.ts';
import type { Queryable } from '../../store/db.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { once } from '../../store/idempotency/guard.ts';
import { holdMember } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { ApprovalsDeps } from './deps.ts';
import { presentApproval, presentEntry } from '../../store/approvals/present.ts';

const STATUSES = { approve: 'approved', deny: 'denied' } as const;

/**
 * Decides about a tool call that waits for an approval. The first decision counts, and the same decision again changes
 * nothing. The run is due immediately: the worker makes an approved call, and the agent reports it.
 */
async function decide(
  tx: Queryable,
  orgId: string,
  id: string,
  { decision, reason = null }: { decision: 'approve' | 'deny'; reason?: string | null | undefined },
  actor: Actor,
): Promise<ApprovalRow> {
  const row = isId('approval', id) ? await lockApproval(tx, orgId, id) : null;
  if (!row) throw new Refusal('approval_not_found');
  const status = STATUSES[decision];
  if (row.status === status) return row;
  if (row.status !== 'pending') throw new Refusal('approval_decided', `The approval is ${row.status}.`);
  // The worker denies an expired approval in its next pass, which may take a long time if no worker runs.
  if (row.expiresAt.getTime() <= Date.now()) throw new Refusal('approval_decided', 'The time for a decision is over.');
  await writeDecision(tx, row, { status, reason, decidedBy: actor.userId });
  const facts = { tool: row.call.tool.name, conversation_id: row.conversationId };
  await recordAudit(tx, { orgId, actor, action: `approval.${status}`, subjectId: id, facts });
  return (await findApproval(tx, orgId, id))!;
}

/** Decides as a member. Every member who may answer people may decide, so a viewer may not. */
export async function decideAsMember(
  { db, onAccepted }: Pick<ApprovalsDeps, 'db' | 'onAccepted'>,
  orgId: string,
  id: string,
  body: DecideApprovalBody,
  actor: Actor,
): Promise<ApprovalEntry> {
  const row = await db.transaction(async (tx) => {
    const role = await holdMember(tx, orgId, actor.userId);
    if (role === null) throw new Refusal('organization_not_found');
    if (!mayAnswer(role)) throw new Refusal('role_missing', `A decision needs the role member; yours is ${role}.`);
    return decide(tx, orgId, id, body, actor);
  });
  onAccepted();
  return presentEntry(row);
}

type KeyCaller = {
  orgId: string;
  keyId: string;
  /** The agent to which an agent key is bound. */
  agentId: string | null;
  from: string | null;
  address: string;
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
};

/** Decides about an approval in the name of a backend. */
export async function decideByKey(
  { db, guard, onAccepted }: ApprovalsDeps,
  { orgId, keyId, agentId, from, idempotency, ...caller }: KeyCaller,
  id: string,
  body: DecideApprovalBody,
) {
  const call = { orgId, idempotency };
  // This check runs before the stored response is read, because a stored response may belong to another agent.
  if (agentId !== null) await refuseOtherAgent(db, orgId, agentId, id);
  const done = await guard(call, () =>
    once(db, call, async (tx) => {
      await holdFence(tx, { orgId, keyId, from });
      const record: ApprovalRecord = presentApproval(await decide(tx, orgId, id, body, { userId: keyId, ...caller }));
      return { status: 200, location: null, body: JSON.stringify(record) };
    }),
  );
  onAccepted();
  return done;
}

/** The path of an approval names no agent, so the order of checks has no row for this check. */
async function refuseOtherAgent(db: Queryable, orgId: string, agentId: string, id: string): Promise<void> {
  const found = isId('approval', id) ? await findApproval(db, orgId, id) : null;
  if (found?.agentId !== agentId) throw new Refusal('approval_not_found');
}

/** Denies a tool call whose approval has expired. Returns false if a person decided about the call before. */
export const denyExpired = ({ db }: Pick<ApprovalsDeps, 'db'>, orgId: string, id: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockApproval(tx, orgId, id);
    if (row?.status !== 'pending') return false;
    await writeDecision(tx, row, { status: 'denied', reason: 'timeout', decidedBy: 'system' });
    return true;
  });
