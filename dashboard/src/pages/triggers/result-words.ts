import { defineWords } from '../../language/words.tsx';

/** What a run has returned. */
export const resultWords = defineWords(
  {
    result: 'Result',
    status_none: 'None',
    status_partial: 'Incomplete',
    status_complete: 'Complete',
    status_failed: 'The model could not fill it',
    missing: 'Missing: {names}',
    yes: 'yes',
    no: 'no',
  },
  {
    result: 'النتيجة',
    status_none: 'لا شيء',
    status_partial: 'غير مكتملة',
    status_complete: 'مكتملة',
    status_failed: 'لم يستطع النموذج ملأها',
    missing: 'ينقص: {names}',
    yes: 'نعم',
    no: 'لا',
  },
);
