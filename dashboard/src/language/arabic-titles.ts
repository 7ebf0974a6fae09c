import type { problemTitlesAr } from './problem-titles.ts';

let titles: Partial<typeof problemTitlesAr> = {};

/** The titles load with the first problem that a reader of Arabic meets: most visits meet none. */
export async function loadArabicTitles(): Promise<void> {
  // Without them, as after a new release, titles stay in English.
  const loaded = await import('./problem-titles.ts').catch(() => null);
  if (loaded) titles = loaded.problemTitlesAr;
}

/** Undefined for codes of a server newer than this page. */
export const arabicTitle = (code: string): string | undefined => titles[code as keyof typeof titles];
