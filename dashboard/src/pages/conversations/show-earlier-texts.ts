import { defineTexts } from '../../language/texts.tsx';

export const showEarlierTexts = defineTexts(
  {
    show: 'Show earlier messages',
    shown: 'Earlier messages shown: {many}',
    most: 'This page shows at most {many} messages.',
  },
  {
    show: 'عرض الرسائل السابقة',
    shown: 'عدد الرسائل السابقة المعروضة: {many}',
    most: 'تعرض هذه الصفحة {many} رسالة كحد أقصى.',
  },
);
