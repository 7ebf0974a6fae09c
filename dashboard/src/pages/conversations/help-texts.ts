import { defineTexts } from '../../language/texts.tsx';

export const helpTexts = defineTexts(
  {
    summary: 'Summary',
    summarizing: 'The model summarizes the conversation…',
    by_model: 'Written by {model}. It may be wrong.',
    draft: 'Draft an answer',
    drafted: 'A draft by {model}. Read it before you send it.',
    drafted_passage: 'A passage of your documents. Read it before you send it.',
    no_draft: 'No document answers the question.',
    sources: 'From: {documents}',
    translate: 'Translate',
    translate_reply: 'Translate the reply for the person',
    translated: 'The reply is translated. Read it before you send it.',
    original: 'Hide the translation',
  },
  {
    summary: 'الملخص',
    summarizing: 'يلخّص النموذج المحادثة…',
    by_model: 'كتبه {model}. قد يكون فيه خطأ.',
    draft: 'صياغة رد',
    drafted: 'مسودة كتبها {model}. اقرأها قبل الإرسال.',
    drafted_passage: 'مقطع من مستنداتك. اقرأه قبل الإرسال.',
    no_draft: 'لا مستند يجيب عن السؤال.',
    sources: 'من: {documents}',
    translate: 'ترجمة',
    translate_reply: 'ترجمة الرد إلى لغة الشخص',
    translated: 'تُرجم الرد. اقرأه قبل الإرسال.',
    original: 'إخفاء الترجمة',
  },
);
