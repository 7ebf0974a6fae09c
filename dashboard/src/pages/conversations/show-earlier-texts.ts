import { defineTexts } from '../../language/texts.tsx';

export const showEarlierTexts = defineTexts(
  { show: 'Show earlier messages', shown: 'Earlier messages shown: {many}' },
  { show: 'عرض الرسائل السابقة', shown: 'عدد الرسائل السابقة المعروضة: {many}' },
);
