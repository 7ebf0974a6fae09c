import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    see_conversation: 'Open the conversation',
  },
  {
    see_conversation: 'عرض المحادثة',
  },
);
