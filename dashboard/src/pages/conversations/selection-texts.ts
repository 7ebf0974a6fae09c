import { defineTexts } from '../../language/texts.tsx';

export const selectionTexts = defineTexts(
  {
    assign: 'Assign',
    done: { one: '{count} conversation is changed.', other: '{count} conversations are changed.' },
    refused: { one: '{count} could not be changed.', other: '{count} could not be changed.' },
    key: 'Select the open conversation',
  },
  {
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
