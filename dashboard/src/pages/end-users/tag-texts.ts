import { defineTexts } from '../../language/texts.tsx';

export const tagTexts = defineTexts(
  {
    tag: 'Tag for the people selected',
    add: 'Add tag',
    remove: 'Remove tag',
    done: { one: '{count} person is changed.', other: '{count} people are changed.' },
    full: { one: '{count} has the most tags already.', other: '{count} have the most tags already.' },
  },
  {
    tag: 'وسم للأشخاص المحددين',
    add: 'إضافة الوسم',
    remove: 'إزالة الوسم',
    done: {
      zero: 'لم يتغير أحد.',
      one: 'تغير شخص واحد.',
      two: 'تغير شخصان.',
      few: 'تغير {count} أشخاص.',
      many: 'تغير {count} شخصًا.',
      other: 'تغير {count} شخص.',
    },
    full: {
      one: 'لدى واحد منهم أكثر عدد من الوسوم.',
      two: 'لدى اثنين منهم أكثر عدد من الوسوم.',
      other: 'لدى {count} منهم أكثر عدد من الوسوم.',
    },
  },
);
