import { defineWords } from '../../language/words.tsx';

export const selectionWords = defineWords(
  {
    select: 'Select {name}',
    selected: { one: '{count} selected', other: '{count} selected' },
    assign: 'Assign',
    done: { one: '{count} conversation is changed.', other: '{count} conversations are changed.' },
    refused: { one: '{count} could not be changed.', other: '{count} could not be changed.' },
    key: 'Select the open conversation',
  },
  {
    select: 'تحديد {name}',
    selected: { zero: 'لا شيء محدد', one: 'واحدة محددة', two: 'اثنتان محددتان', other: '{count} محددة' },
    assign: 'إسناد',
    done: {
      zero: 'لم تتغير أي محادثة.',
      one: 'تغيرت محادثة واحدة.',
      two: 'تغيرت محادثتان.',
      few: 'تغيرت {count} محادثات.',
      many: 'تغيرت {count} محادثة.',
      other: 'تغيرت {count} محادثة.',
    },
    refused: {
      one: 'تعذر تغيير واحدة.',
      two: 'تعذر تغيير اثنتين.',
      other: 'تعذر تغيير {count}.',
    },
    key: 'تحديد المحادثة المفتوحة',
  },
);
