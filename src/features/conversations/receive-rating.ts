import type { MessageContent } from '../../../contract/messages.ts';
import { isCommand, isComment, readScore } from '../../engine/ratings/read-rating.ts';
import { surveyThanks } from '../../engine/ratings/survey-texts.ts';
import { insertMessage } from '../../store/conversations/write.ts';
import type { Queryable } from '../../store/db.ts';
import { readSurvey, type SurveyRow } from '../../store/ratings/survey.ts';
import { rateConversation } from '../../store/ratings/write.ts';
import { languageOf, mayWriteTo, sayInSurvey, variablesIn } from './send-survey.ts';

/** A message of the person in a locked, resolved conversation. */
type Reply = {
  id: string;
  conversationId: string;
  content: MessageContent;
  providerMessageId: string | null;
  metadata: Readonly<Record<string, string>> | null;
};
type Rating = { score: number | null; comment: string | null };

/**
 * Stores a message that answers the survey of its conversation: the conversation stays resolved, and no agent answers.
 * Returns false for every other message.
 */
export async function receiveRating(tx: Queryable, orgId: string, reply: Reply): Promise<boolean> {
  const { conversationId, content } = reply;
  if (content.type !== 'text') return false;
  const survey = await readSurvey(tx, orgId, conversationId);
  const rating = survey && readRating(survey, content.text);
  if (!rating) return false;
  await insertMessage(tx, orgId, { ...reply, runId: null, role: 'end_user' });
  await rateConversation(tx, orgId, conversationId, rating);
  if (rating.score !== null && rating.comment === null) await invite(tx, orgId, conversationId, survey);
  return true;
}

function readRating(survey: SurveyRow, text: string): Rating | null {
  if (survey.takes_score) {
    const labels = survey.question?.type === 'choices' ? survey.question.choices.map(({ label }) => label) : [];
    const read = readScore(text, labels);
    return read && { score: read.score, comment: isComment(read.rest) ? read.rest : null };
  }
  if (!survey.takes_comment || !isComment(text) || isCommand(text, survey.definition)) return null;
  return { score: null, comment: text };
}

/**
 * Without an invitation to comment, a person does not know that the next message counts as the comment. In the web
 * chat, a field invites the comment.
 */
async function invite(tx: Queryable, orgId: string, conversationId: string, survey: SurveyRow): Promise<void> {
  const asked = survey.definition.survey;
  if (!asked || survey.channel_kind === 'web_chat' || !mayWriteTo(survey)) return;
  const text = surveyThanks(asked, languageOf(survey), variablesIn(survey));
  await sayInSurvey(tx, { orgId, conversationId }, survey, { type: 'text', text });
}
