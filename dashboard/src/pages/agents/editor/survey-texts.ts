import { defineTexts } from '../../../language/texts.tsx';

/** Texts about the question after a conversation. */
export const surveyTexts = defineTexts(
  {
    title: 'Rating of the conversation',
    hint: 'After a conversation is resolved, the end user gets one question with five scores, at most once for each conversation. The first text after the score is the comment.',
    on: 'Ask for a rating',
    question: 'Question',
    thanks: 'Answer to a score',
    empty: 'Leave empty for “{text}”',
    channels: 'Channels',
    channels_hint: 'The kinds of channels on which the question is sent.',
    all_channels: 'All channels',
  },
  {
    title: 'تقييم المحادثة',
    hint: 'بعد إغلاق المحادثة يصل إلى المستخدم النهائي سؤال واحد بخمس درجات، مرة واحدة على الأكثر لكل محادثة. النص الأول بعد الدرجة هو التعليق.',
    on: 'طلب التقييم',
    question: 'السؤال',
    thanks: 'الرد على الدرجة',
    empty: 'اتركه فارغًا لاستخدام «{text}»',
    channels: 'القنوات',
    channels_hint: 'أنواع القنوات التي يُرسل فيها السؤال.',
    all_channels: 'كل القنوات',
  },
);
