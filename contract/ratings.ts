import { Type, type Static } from 'typebox';

/** `survey`: the person rates the whole conversation. `answer`: the person rates one answer of the agent. */
export const RATING_KINDS = ['survey', 'answer'] as const;
export type RatingKind = (typeof RATING_KINDS)[number];

/** The scores of a survey. The score of an answer is 1 (good) or -1 (bad). */
export const SURVEY_SCORES = [1, 2, 3, 4, 5] as const;
export const MAX_RATING_COMMENT = 1_000;
/** The first text of the person within this time after the score is the comment. */
export const COMMENT_MINUTES = 10;

/** How a person rated a conversation. */
export const SurveyRating = Type.Object(
  {
    score: Type.Integer({ minimum: 1, maximum: 5 }),
    comment: Type.Union([Type.String(), Type.Null()]),
    rated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'SurveyRating' },
);
export type SurveyRating = Static<typeof SurveyRating>;
