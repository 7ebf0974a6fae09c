import { defineTexts } from '../../language/texts.tsx';

/** Texts for the failed expectations of a test. */
export const faultTexts = defineTexts(
  {
    says: 'Answer {turn} should contain {expected}. The agent answered: {found}',
    says_any: 'Answer {turn} should contain one of {expected}. The agent answered: {found}',
    says_not: 'Answer {turn} should not contain {expected}. The agent answered: {found}',
    cites: 'Answer {turn} should cite {expected}. It cites: {found}',
    other: 'Answer {turn}, {expectation}: expected {expected}, but it was {found}',
    quoted: '“{text}”',
    nothing: 'nothing',
    yes: 'yes',
    no: 'no',
  },
  {
    says: 'ينبغي أن يحتوي الجواب {turn} على {expected}. أجاب الوكيل: {found}',
    says_any: 'ينبغي أن يحتوي الجواب {turn} على واحد من {expected}. أجاب الوكيل: {found}',
    says_not: 'ينبغي ألا يحتوي الجواب {turn} على {expected}. أجاب الوكيل: {found}',
    cites: 'ينبغي أن يستشهد الجواب {turn} بـ {expected}. يستشهد بـ: {found}',
    other: 'الجواب {turn}، {expectation}: المتوقع {expected}، والموجود {found}',
    quoted: '«{text}»',
    nothing: 'لا شيء',
    yes: 'نعم',
    no: 'لا',
  },
);
