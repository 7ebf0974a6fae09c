import { defineTexts } from '../../language/texts.tsx';

export const fileTexts = defineTexts(
  {
    attach: 'Attach files',
    chosen: 'Files of the reply',
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
