import { sql } from 'drizzle-orm';
import type { SurveyRating } from '../../../contract/ratings.ts';
import type { Queryable } from '../db.ts';
import { SURVEY } from '../schema/rating.ts';

const RATED = `SELECT CASE WHEN g.score IS NOT NULL THEN json_build_object('score', g.score, 'comment', g.comment,
    'rated_at', event_time(g.rated_at)) END FROM rating g
  WHERE g.org_id = conversation.org_id AND g.conversation_id = conversation.id AND g.subject = '${SURVEY}'`;

/**
 * How the person rated the conversation, in the form of the API, for a query of `conversation`. The score is not a
 * condition of the look-up, so that the look-up uses the primary key.
 */
export const SURVEY_RATING = sql<SurveyRating | null>`(${sql.raw(RATED)})`;

/** The rating columns for a query of `run`. The rating belongs to the run that ended the conversation. */
export const RUN_RATING = sql<SurveyRating | null>`(${sql.raw(RATED)} AND g.run_id = run.id)`;

/** The scores of rated answers by message. */
export async function readAnswerScores(
  db: Queryable,
  orgId: string,
  conversationId: string,
): Promise<Map<string, 1 | -1>> {
  const { rows } = await db.execute<{ message_id: string; score: 1 | -1 }>(sql`SELECT message_id, score FROM rating
    WHERE org_id = ${orgId} AND conversation_id = ${conversationId} AND kind = 'answer'`);
  return new Map(rows.map(({ message_id, score }) => [message_id, score]));
}
