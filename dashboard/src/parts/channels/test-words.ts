import { defineWords } from '../../language/words.tsx';

export const words = defineWords(
  {
    see_conversation: 'Open the conversation',
  },
  {
    see_conversation: 'عرض المحادثة',
  },
);
