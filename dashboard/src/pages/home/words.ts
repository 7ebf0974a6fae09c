import { defineWords } from '../../language/words.tsx';

export const words = defineWords(
  {
    home: 'Home',
    home_hint: 'What happens in this organization. Each number opens the list behind it.',
    show_steps: 'Show the first steps',
  },
  {
    home: 'الرئيسية',
    home_hint: 'ما يحدث في هذه المؤسسة. كل رقم يفتح القائمة التي وراءه.',
    show_steps: 'إظهار الخطوات الأولى',
  },
);
