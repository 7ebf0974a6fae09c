import { defineTexts } from '../../language/texts.tsx';

export const fileTexts = defineTexts(
  {
    attach: 'Attach files',
    chosen: 'Files of the reply',
    remove: 'Remove {name}',
    sending: 'The file is sent',
    file_empty: 'The file is empty.',
    file_too_large: 'Larger than {size} MB.',
    file_too_many: 'A reply has at most {count} files. Send this file with the next reply.',
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
    file_too_many: 'في الرد {count} ملفات على الأكثر. أرسل هذا الملف مع الرد التالي.',
    open: 'فتح {name}',
    picture: 'صورة',
  },
);
