import type { ChatRating, RateChat } from '../../../contract/chat.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { isComment } from '../../engine/ratings/read-rating.ts';
import { lockConversation } from '../../store/conversations/write.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { type RatedSurvey, readRatedSurvey } from '../../store/ratings/survey.ts';
import { rateAnswer, rateConversation } from '../../store/ratings/write.ts';
import { findRatable, type Ratable, type VisitorPlace } from '../../store/visitors.ts';

/** `thumbs`: true if the web chat accepts ratings of answers. */
type Rated = RateChat & { thumbs: boolean };

/**
 * A visitor rates an answer, or rates the conversation through the message of its survey. Only the visitor who received
 * the message can rate it.
 */
export function rateMessage({ db }: { db: Db }, place: VisitorPlace, rated: Rated): Promise<ChatRating> {
  const { orgId } = place;
  return db.transaction(async (tx) => {
    const found = await findRatable(tx, place, rated.message_id);
    if (!found) throw new Refusal('message_not_found');
    await lockConversation(tx, orgId, found.conversationId);
    const survey = await readRatedSurvey(tx, orgId, found.conversationId, rated.message_id);
    if (survey) return rateSurvey(tx, orgId, { ...found, survey }, rated);
    if (!found.isAnswer) throw new Refusal('message_not_found');
    return rateOneAnswer(tx, orgId, found, rated);
  });
}

async function rateSurvey(
  tx: Queryable,
  orgId: string,
  { conversationId, isFresh, survey }: Ratable & { survey: RatedSurvey },
  { score, comment }: Rated,
): Promise<ChatRating> {
  if (score < 1) throw refused('/score', 'The score of a conversation is 1 to 5.');
  if (comment !== undefined && !isComment(comment)) throw refused('/comment', 'The comment has no text.');
  const isSame = survey.score === score && (comment === undefined || survey.comment === comment);
  if (!isSame && !(survey.score === null ? isFresh : survey.is_recent)) throw new Refusal('rating_closed');
  if (!isSame) await rateConversation(tx, orgId, conversationId, { score, comment: comment ?? null });
  return { kind: 'survey', score, comment: comment ?? survey.comment };
}

async function rateOneAnswer(
  tx: Queryable,
  orgId: string,
  { conversationId }: Ratable,
  { message_id: messageId, score, comment, thumbs }: Rated,
): Promise<ChatRating> {
  if (!thumbs) throw new Refusal('content_unsupported', 'This chat does not accept ratings of answers.');
  if (Math.abs(score) !== 1) throw refused('/score', 'The score of an answer is 1 or -1.');
  if (comment !== undefined) throw refused('/comment', 'Only the rating of a conversation has a comment.');
  await rateAnswer(tx, orgId, { conversationId, messageId, score });
  return { kind: 'answer', score, comment: null };
}

const refused = (pointer: string, detail: string): Refusal => invalidAt(pointer, 'not_allowed', detail);
