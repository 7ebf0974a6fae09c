import { defineWords } from '../../language/words.tsx';
import type { Language } from '../../preferences.ts';

export const fileWords = defineWords(
  {
    attach: 'Attach files',
    chosen: 'Files that go with the reply',
    remove: 'Remove {name}',
    sending: 'The file is sent',
    file_empty: 'The file is empty.',
    file_too_large: 'Larger than {size} MB.',
    open: 'Open {name}',
    picture: 'Picture',
  },
  {
    attach: 'إرفاق ملفات',
    chosen: 'ملفات تُرسل مع الرد',
    remove: 'إزالة {name}',
    sending: 'يُرسل الملف',
    file_empty: 'الملف فارغ.',
    file_too_large: 'أكبر من {size} ميغابايت.',
    open: 'فتح {name}',
    picture: 'صورة',
  },
);

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** A size such as "1.2 MB". */
export function sizeWords(language: Language, bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit: UNITS[step],
    maximumFractionDigits: step === 2 ? 1 : 0,
  }).format(bytes / 1_000 ** step);
}
