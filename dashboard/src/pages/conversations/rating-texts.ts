import { defineTexts } from '../../language/texts.tsx';

export const ratingTexts = defineTexts(
  {
    rated: 'Rated {score} of {all}',
    rated_comment: 'Rated {score} of {all}: {comment}',
    rated_good: 'Rated as good',
    rated_bad: 'Rated as bad',
    rating: 'Rating',
    any_rating: 'Rated or not',
    rating_any: 'Rated',
    rating_score: '{score} of 5',
  },
  {
    rated: 'التقييم {score} من {all}',
    rated_comment: 'التقييم {score} من {all}: {comment}',
    rated_good: 'قُيّم بأنه جيد',
    rated_bad: 'قُيّم بأنه سيئ',
    rating: 'التقييم',
    any_rating: 'مقيّمة أو غير مقيّمة',
    rating_any: 'مقيّمة',
    rating_score: '{score} من 5',
  },
);
