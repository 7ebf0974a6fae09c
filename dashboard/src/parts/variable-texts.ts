import { defineTexts } from '../language/texts.tsx';

export const variableTexts = defineTexts(
  {
    variables: 'Variables',
    variables_found: { one: '{count} variable', other: '{count} variables' },
  },
  {
    variables: 'المتغيّرات',
    variables_found: {
      zero: 'لا متغيّرات',
      one: 'متغيّر واحد',
      two: 'متغيّران',
      few: '{count} متغيّرات',
      many: '{count} متغيّرًا',
      other: '{count} متغيّر',
    },
  },
);
