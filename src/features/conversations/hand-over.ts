import type { ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { mayAnswer } from '../../access/sessions/may-answer.ts';
import { recordWaitingOptOut } from '../../answering/record-opt-out.ts';
import { lockConversation, setRunStatus, updateConversation } from '../../store/conversations/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { holdPersonOf } from '../../store/end-users/hold-person-of.ts';
import { holdMember } from '../../store/members/members.ts';
import { endAfterResult, RESOLVED } from '../../store/runs/end.ts';
import { summarizeConversation } from './read-conversations.ts';

/**
 * A member takes a conversation over. After a take-over, the agent does not answer, and a turn in progress is
 * discarded.
 */
export async function takeOverConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const { runId } = await lockForMember(tx, orgId, id, actor);
    await assignToActor(tx, orgId, { id, runId }, actor);
  });
  return summarizeConversation({ db }, orgId, id);
}

/**
 * Locks the acting member and the conversation. Members are locked first, so that the removal of a member does not run
 * at the same time.
 */
export async function lockForMember(tx: Queryable, orgId: string, id: string, { userId }: Actor) {
  const role = await holdMember(tx, orgId, userId);
  if (role === null) throw new Refusal('organization_not_found');
  if (!mayAnswer(role)) throw new Refusal('role_missing', `This action needs the role member; yours is ${role}.`);
  return lockToTake(tx, orgId, id);
}

/**
 * Locks a conversation whose waiting messages are taken from the agent. If such a message is an opt-out, the person is
 * opted out. The person is locked before the conversation, as everywhere.
 */
export async function lockToTake(tx: Queryable, orgId: string, id: string) {
  const person = await holdPersonOf(tx, orgId, id);
  const conversation = await lockConversation(tx, orgId, id);
  if (!conversation) throw new Refusal('conversation_not_found');
  if (conversation.firstUnanswered !== null) await recordWaitingOptOut(tx, orgId, id, person);
  return conversation;
}

/** Makes the member the assignee of the conversation. The caller has locked the conversation. */
export async function assignToActor(
  tx: Queryable,
  orgId: string,
  conversation: { id: string; runId: string | null },
  actor: Actor,
): Promise<void> {
  await recordAudit(tx, { orgId, actor, action: 'conversation.taken_over', subjectId: conversation.id });
  await giveToPeople(tx, orgId, conversation, actor.userId);
}

/** After a hand-over, the agent does not answer. The caller has locked the conversation (`lockToTake`). */
export async function giveToPeople(
  tx: Queryable,
  orgId: string,
  { id, runId }: { id: string; runId: string | null },
  assigneeId: string,
): Promise<void> {
  await updateConversation(tx, orgId, id, { status: 'handed_off', assigneeId, forgetUnanswered: true });
  if (runId !== null) {
    await setRunStatus(tx, orgId, runId, {
      from: ['queued', 'running', 'waiting_for_user', 'waiting_for_approval'],
      to: 'handed_off',
    });
  }
}

/** Returns the conversation to the agent, which answers the end user's next message. */
export async function handBackConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    if (conversation.status !== 'handed_off') return;
    await recordAudit(tx, { orgId, actor, action: 'conversation.handed_back', subjectId: id });
    await updateConversation(tx, orgId, id, { status: 'open', assigneeId: null });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, { from: ['handed_off'], to: 'waiting_for_user' });
    }
  });
  return summarizeConversation({ db }, orgId, id);
}

/** Closes the conversation. The next message of the end user reopens the conversation. */
export async function resolveConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockToTake(tx, orgId, id);
    if (conversation.status === 'resolved') return;
    await endConversation(tx, orgId, { id, runId: conversation.runId }, actor);
  });
  return summarizeConversation({ db }, orgId, id);
}

/** The caller has locked the conversation (`lockToTake`). */
export async function endConversation(
  tx: Queryable,
  orgId: string,
  { id, runId }: { id: string; runId: string | null },
  actor: Actor,
): Promise<void> {
  await recordAudit(tx, { orgId, actor, action: 'conversation.resolved', subjectId: id });
  await updateConversation(tx, orgId, id, { status: 'resolved', assigneeId: null, forgetUnanswered: true });
  if (runId !== null && !(await endAfterResult(tx, orgId, runId))) {
    await setRunStatus(tx, orgId, runId, {
      from: ['queued', 'running', 'waiting_for_user', 'waiting_for_approval', 'handed_off'],
      to: 'completed',
      reason: RESOLVED,
    });
  }
}
