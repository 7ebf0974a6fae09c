import { channelKinds } from '../../channels/kinds.ts';
import { chooseText } from '../../engine/templates.ts';
import { isWithin } from '../../kernel/working-hours.ts';
import { newId } from '../../kernel/ids.ts';
import { type ConversationRow, findConversation, readConversationPerson } from '../../store/conversations/read.ts';
import { insertMessage, lockConversation, updateConversation } from '../../store/conversations/write.ts';
import type { Queryable } from '../../store/db.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import { type DueHandOff, finishHandOff } from '../../store/hand-offs/queue.ts';
import { readHandOffRule } from '../../store/hand-offs/rules.ts';
import { lockMembers } from '../../store/members/members.ts';
import { recordAudit, SYSTEM } from '../../store/organizations/audit.ts';
import { chooseReceiver } from './choose-receiver.ts';
import type { HandOffsDeps } from './deps.ts';
import { hoursOf } from './check-working-hours.ts';

/**
 * Assigns the conversation of a hand-off to a member, and sends the text for times outside working hours. Assignment
 * and text happen once for each hand-off, because the same transaction ends the hand-off. A conversation that a member
 * took over before, or that the team no longer answers, does not change. Members are locked before the conversation, as
 * in an assignment or a removal. The hand-offs of one organization are processed one after the other, on all workers,
 * and are distributed fairly.
 */
export function applyHandOffRules({ db }: HandOffsDeps, due: DueHandOff): Promise<boolean> {
  const { orgId, conversationId: id } = due;
  return db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    const locked = await lockConversation(tx, orgId, id);
    if (!(await finishHandOff(tx, due)) || locked?.status !== 'handed_off') return false;
    const rule = await readHandOffRule(tx, orgId);
    const conversation = await findConversation(tx, orgId, id);
    if (!rule || !conversation || conversation.assigneeId !== null) return false;
    const assigneeId = await chooseReceiver(tx, rule);
    if (assigneeId !== null) {
      await updateConversation(tx, orgId, id, { assigneeId });
      const facts = { user_id: assigneeId };
      await recordAudit(tx, { orgId, actor: SYSTEM, action: 'conversation.assigned', subjectId: id, facts });
    }
    if (rule.hours === null || rule.outside === null || isWithin(hoursOf(rule.hours), due.at))
      return assigneeId !== null;
    const text = chooseText(rule.outside, conversation.locale);
    if (text !== null && (await mayWriteTo(tx, orgId, conversation))) await say(tx, orgId, conversation, text);
    return true;
  });
}

async function mayWriteTo(tx: Queryable, orgId: string, { endUser, channelKind }: ConversationRow): Promise<boolean> {
  const person = await readConversationPerson(tx, orgId, endUser.id, channelKind);
  return person !== null && reasonNotToSend(person.blocked, person.optedOut ? 'opted_out' : null) === null;
}

async function say(
  tx: Queryable,
  orgId: string,
  { id, runId, channelKind }: ConversationRow,
  text: string,
): Promise<void> {
  const isDelivered = channelKinds.get(channelKind)?.byStoring === true;
  await insertMessage(tx, orgId, {
    id: newId('msg'),
    conversationId: id,
    runId,
    role: 'agent',
    content: { type: 'text', text },
    status: isDelivered ? 'delivered' : 'queued',
    isDue: !isDelivered,
  });
}
