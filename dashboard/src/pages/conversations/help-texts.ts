import { defineTexts } from '../../language/texts.tsx';

export const helpTexts = defineTexts(
  {
    summary: 'Summary',
    summarizing: 'The model summarizes the conversation…',
    by_model: 'Written by {model}. The model may be wrong.',
    draft: 'Draft an answer',
    drafted: 'A draft by {model}. Read the text before you send it.',
    drafted_passage: 'A passage of your documents. Read the text before you send it.',
    no_draft: 'No document answers the question.',
    sources: 'From: {documents}',
    translate: 'Translate',
    translate_reply: 'Translate the reply for the person',
    translated: 'The reply is translated. Read the text before you send it.',
    original: 'Hide the translation',
  },
  {
    summary: 'الملخص',
    summarizing: 'يلخّص النموذج المحادثة…',
    by_model: 'كتبه {model}. قد يخطئ النموذج.',
    draft: 'صياغة رد',
    drafted: 'مسودة كتبها {model}. اقرأ المسودة قبل الإرسال.',
    drafted_passage: 'مقطع من مستنداتك. اقرأ النص قبل الإرسال.',
    no_draft: 'لا مستند يجيب عن السؤال.',
    sources: 'من: {documents}',
    translate: 'ترجمة',
    translate_reply: 'ترجمة الرد إلى لغة الشخص',
    translated: 'تُرجم الرد. اقرأ النص قبل الإرسال.',
    original: 'إخفاء الترجمة',
  },
);
