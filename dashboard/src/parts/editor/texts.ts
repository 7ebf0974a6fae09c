import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    has_fault: 'has an error',
    language_default: 'Any language',
    add_language: 'Add language',
    remove_language: 'Remove {language}',
    texts_of: '{label}: languages',
  },
  {
    has_fault: 'فيه خطأ',
    language_default: 'أي لغة',
    add_language: 'إضافة لغة',
    remove_language: 'إزالة {language}',
    texts_of: '{label}: اللغات',
  },
);
