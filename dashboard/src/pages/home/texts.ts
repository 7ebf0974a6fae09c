import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    home: 'Home',
    home_hint: 'Recent activity in this organization. Each number opens its list.',
    show_steps: 'Show the first steps',
  },
  {
    home: 'الرئيسية',
    home_hint: 'النشاط الأخير في هذه المؤسسة. كل رقم يفتح قائمته.',
    show_steps: 'إظهار الخطوات الأولى',
  },
);
