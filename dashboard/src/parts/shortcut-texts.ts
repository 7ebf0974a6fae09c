import { defineTexts } from '../language/texts.tsx';

export const shortcutTexts = defineTexts(
  {
    shortcuts: 'Keyboard shortcuts',
    shortcut: 'What it does',
    shortcut_key: 'Key',
    single_keys: 'Use single keys',
    single_keys_words:
      'Turn single keys off if you use voice control or press keys by accident. The setting applies only to you, in this browser.',
    show_shortcuts: 'Show this list',
  },
  {
    shortcuts: 'اختصارات لوحة المفاتيح',
    shortcut: 'ماذا يفعل',
    shortcut_key: 'المفتاح',
    single_keys: 'استخدام المفاتيح المفردة',
    single_keys_words:
      'أوقفها إن كنت تملي على حاسوبك صوتًا أو تضغط المفاتيح سهوًا. يسري الإعداد عليك فقط، في هذا المتصفح.',
    show_shortcuts: 'عرض هذه القائمة',
  },
);
