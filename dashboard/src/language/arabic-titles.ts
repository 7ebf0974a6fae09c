import type { problemTitlesAr } from './problem-titles.ts';

let titles: Partial<typeof problemTitlesAr> = {};

/** The first problem that an Arabic reader sees loads the titles, because most visits have no problem. */
export async function loadArabicTitles(): Promise<void> {
  // If the Arabic titles cannot load, for example after an update, titles stay in English.
  const loaded = await import('./problem-titles.ts').catch(() => null);
  if (loaded) titles = loaded.problemTitlesAr;
}

/** The result is undefined for a code of a server that is newer than this page. */
export const arabicTitle = (code: string): string | undefined => titles[code as keyof typeof titles];
