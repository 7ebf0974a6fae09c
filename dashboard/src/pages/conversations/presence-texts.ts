import { defineTexts } from '../../language/texts.tsx';

export const presenceTexts = defineTexts(
  {
    also_here: 'Also here: {names}',
    typing: { one: '{names} is typing…', other: '{names} are typing…' },
  },
  {
    also_here: 'هنا أيضًا: {names}',
    typing: {
      zero: '{names} يكتبون الآن…',
      one: '{names} يكتب الآن…',
      two: '{names} يكتبان الآن…',
      few: '{names} يكتبون الآن…',
      many: '{names} يكتبون الآن…',
      other: '{names} يكتبون الآن…',
    },
  },
);
