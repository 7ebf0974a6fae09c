import { templateVariables } from '../../answering/template-variables.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { readState } from '../../engine/embedded/read-state.ts';
import { surveyQuestion } from '../../engine/ratings/survey-texts.ts';
import type { Variables } from '../../engine/templates.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { newId } from '../../kernel/ids.ts';
import { insertMessage, lockConversation } from '../../store/conversations/write.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import { type DueSurvey, dropSurvey, markSurveySent, readSurvey, type SurveyRow } from '../../store/ratings/survey.ts';
import { acceptsText } from './reply-window.ts';

/**
 * Sends the question of a resolved conversation, at most once. A conversation that continued after it was resolved, or
 * whose person may get no message, has no survey.
 */
export function sendSurvey({ db }: { db: Db }, due: DueSurvey): Promise<boolean> {
  const { orgId, conversationId } = due;
  return db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, conversationId);
    const survey = await readSurvey(tx, orgId, conversationId);
    if (!conversation || !survey?.is_due) return false;
    const asked = survey.definition.survey;
    if (conversation.status !== 'resolved' || !asked || !(await mayAsk(tx, due, survey))) {
      await dropSurvey(tx, due);
      return false;
    }
    const question = surveyQuestion(asked, languageOf(survey), variablesIn(survey));
    await markSurveySent(tx, due, await sayInSurvey(tx, due, survey, question));
    return true;
  });
}

/**
 * A person who never wrote, or who got no answer, has nothing to rate. The consent and the reply window of the channel
 * apply as for a reminder.
 */
async function mayAsk(tx: Queryable, { orgId, conversationId }: DueSurvey, survey: SurveyRow): Promise<boolean> {
  const { channel_kind: kind, definition, is_conversation, channel_open, agent_deleted } = survey;
  const channels: readonly string[] | undefined = definition.survey?.channels;
  if (!is_conversation || !channel_open || agent_deleted) return false;
  if (channels !== undefined && !channels.includes(kind)) return false;
  if (!mayWriteTo(survey)) return false;
  return acceptsText(tx, channelKinds.get(kind), orgId, conversationId);
}

export function mayWriteTo({ channel_kind: kind, end_user: endUser, address }: SurveyRow): boolean {
  const consent = endUser.consent[kind]?.status;
  if (reasonNotToSend(endUser.blocked, consent) !== null) return false;
  return address !== null || channelKinds.get(kind)?.capabilities.needs_address !== true;
}

export const languageOf = ({ state, locale }: SurveyRow): string | null => readState(state).language ?? locale;

export const variablesIn = ({ input, end_user: endUser, agent_name: name }: SurveyRow): Variables => ({
  ...templateVariables(input?.variables, endUser),
  agent: { name },
});

/** The message belongs to no run, because it is no answer of the agent. */
export async function sayInSurvey(
  tx: Queryable,
  { orgId, conversationId }: DueSurvey,
  { channel_kind: kind }: SurveyRow,
  content: MessageContent,
): Promise<string> {
  const isDelivered = channelKinds.get(kind)?.byStoring === true;
  const id = newId('msg');
  await insertMessage(tx, orgId, {
    id,
    conversationId,
    runId: null,
    role: 'agent',
    content,
    status: isDelivered ? 'delivered' : 'queued',
    isDue: !isDelivered,
  });
  return id;
}
