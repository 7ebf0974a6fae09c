import { defineWords } from '../language/words.tsx';

export const finderWords = defineWords(
  {
    find_what: 'A page, a person, an agent, a text, an ID …',
    find_pages: 'Pages',
    find_id: 'Open {id}',
    find_looking: 'Looking …',
    find_nothing: 'No results.',
    find_failed: 'The search failed. Change a letter to try again.',
  },
  {
    find_what: 'صفحة أو شخص أو وكيل أو نص أو معرّف …',
    find_pages: 'الصفحات',
    find_id: 'فتح {id}',
    find_looking: 'جارٍ البحث …',
    find_nothing: 'لا نتائج.',
    find_failed: 'تعذّر البحث. غيّر حرفًا للمحاولة مجددًا.',
  },
);
