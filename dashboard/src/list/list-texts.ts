import { defineTexts } from '../language/texts.tsx';

export const listTexts = defineTexts(
  {
    view: 'Columns and rows',
    rows: 'Rows',
    wide: 'Normal',
    dense: 'Compact',
    total: { one: '{count} in all', other: '{count} in all' },
    more: 'More than {count}',
    select: 'Select {name}',
    selected: { one: '{count} selected', other: '{count} selected' },
    bulk_count: { one: '{count} in all.', other: '{count} in all.' },
    bulk_progress: 'Completed so far: {done}.',
    bulk_done: { one: 'Done: {count}.', other: 'Done: {count}.' },
  },
  {
    view: 'الأعمدة والصفوف',
    rows: 'الصفوف',
    wide: 'عادية',
    dense: 'متراصّة',
    total: {
      zero: 'المجموع: لا شيء',
      one: 'المجموع: واحد',
      two: 'المجموع: اثنان',
      other: 'المجموع: {count}',
    },
    more: 'أكثر من {count}',
    select: 'تحديد {name}',
    bulk_count: {
      zero: 'المجموع: لا شيء.',
      one: 'المجموع: واحد.',
      two: 'المجموع: اثنان.',
      other: 'المجموع: {count}.',
    },
    bulk_progress: 'تم حتى الآن: {done}.',
    bulk_done: { zero: 'لم يتغيّر شيء.', one: 'تم: واحد.', two: 'تم: اثنان.', other: 'تم: {count}.' },
    selected: { zero: 'المحدد: لا شيء', one: 'المحدد: واحد', two: 'المحدد: اثنان', other: 'المحدد: {count}' },
  },
);
