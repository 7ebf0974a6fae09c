import type { ReactNode } from 'react';
import type { SurveyRating } from '../../../../contract/ratings.ts';
import { clock, number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ratingTexts } from './rating-texts.ts';
import classes from './conversations.module.css';

const MAX_SCORE = 5;

/** Shows the rating of the conversation between its messages. */
export function RatedLine({ rating: { score, comment, rated_at } }: { rating: SurveyRating }): ReactNode {
  const say = useTexts(ratingTexts);
  const parts = {
    score: number(say.language, score),
    all: number(say.language, MAX_SCORE),
    comment: <bdi>{comment}</bdi>,
  };
  return (
    <p className={classes.note} data-change="rated">
      {say.rich(comment === null ? 'rated' : 'rated_comment', parts)} ·{' '}
      <time dateTime={rated_at}>{clock(say.language, rated_at)}</time>
    </p>
  );
}
