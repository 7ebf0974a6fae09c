import { defineTexts } from '../../language/texts.tsx';

/**
 * Texts that First steps also uses. First steps is the first page that people load, so it must not load all texts about
 * keys.
 */
export const stepTexts = defineTexts(
  {
    upgrade: 'Upgrade plan', // fixed
    lost_title: 'The value of “{label}” cannot be shown again',
    lost_words:
      'The key was created, but the page was reloaded before you closed the dialog. A key is shown only once. If you did not save the key, revoke it and create another.',
    to_key: 'Show this key',
    dismiss: 'Dismiss',
  },
  {
    upgrade: 'ترقية الخطة',
    lost_title: 'لم تعد قيمة «{label}» متاحة',
    lost_words:
      'أُنشئ المفتاح، لكن أُعيد تحميل هذه الصفحة قبل إغلاقه، والمفتاح يُعرض مرة واحدة فقط. إن لم تحفظ المفتاح فألغِه وأنشئ غيره.',
    to_key: 'عرض هذا المفتاح',
    dismiss: 'إخفاء',
  },
);
