import { useSyncExternalStore } from 'react';

/**
 * The preferences of a person are the theme, the language and the last organization. The preferences are stored in this
 * browser, with one record for each person and one for visitors who have not signed in, because the sign-in page has a
 * language too. public/preferences.js reads the same storage before the first paint. The storage never contains keys or
 * data from the server.
 */
export type Language = 'en' | 'ar';
export type Theme = 'light' | 'dark' | 'auto';
export type Preferences = {
  language?: Language;
  theme?: Theme;
  /** The organization that the person opened last. */
  organization?: string;
  /** True: hand-offs cause desktop notifications. */
  notify?: boolean;
  /** False: single keys are off, for people who use voice control. */
  single_keys?: boolean;
  /** True if the rows of lists have a small height. */
  dense?: boolean;
  /** The hidden columns of each list. */
  hidden_columns?: Record<string, string[]>;
  /** The organizations whose first steps are hidden. */
  hidden_steps?: string[];
  /** The agents that were used in the playground, by which First steps checks a step off. */
  tried?: string[];
  /** The number of visits of a page, by its path, while the number decides whether the page shows its explanation. */
  visits?: Record<string, number>;
};

const STORAGE = 'parley.preferences';
const MAX_TRIED = 50;
/** After three visits of a page, the explanation is not needed. */
const EXPLAINED_VISITS = 3;

let person: string | null = null;
let current: Preferences = read(STORAGE);
const listeners = new Set<() => void>();

/**
 * Uses this person's preferences after the call. Choices before sign-in are kept if the person had no preferences.
 * `first`: the organization for a person without a choice.
 */
export function rememberAs(userId: string, first: string | undefined): void {
  if (person === userId) return;
  person = userId;
  forgetOther(userId);
  current = { ...read(`${STORAGE}.${userId}`) };
  // A window stays in its organization when another window switches, because its URL contains IDs of that organization.
  current.organization = readPlace() ?? current.organization ?? first;
  const before = read(STORAGE);
  current.language ??= before.language;
  current.theme ??= before.theme;
  save();
}

/** The person whose unfinished text this tab contains. */
const WRITER = 'parley.writer';

/** After a session has ended, another person may sign in in this tab. This person finds no unfinished text. */
function forgetOther(userId: string): void {
  try {
    const before = sessionStorage.getItem(WRITER);
    if (before !== null && before !== userId) sessionStorage.clear();
    sessionStorage.setItem(WRITER, userId);
  } catch {
    // If the storage is not available, nothing was stored.
  }
}

export const preferences = (): Preferences => current;

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  save();
}

export function markTried(agentId: string): void {
  const tried = current.tried ?? [];
  if (!tried.includes(agentId)) setPreferences({ tried: [...tried, agentId].slice(-MAX_TRIED) });
}

/** Counts a visit of a page that has an explanation. The result is false if the explanation was shown often enough. */
export function countVisit(path: string): boolean {
  const { visits = {} } = current;
  const before = visits[path] ?? 0;
  if (before >= EXPLAINED_VISITS) return false;
  setPreferences({ visits: { ...visits, [path]: before + 1 } });
  return true;
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * The built files of a language contain only the texts of this language (build/languages.ts). Without a build, the
 * program has the texts of both languages.
 */
declare const __ARABIC__: boolean | undefined;
const built: Language | null = typeof __ARABIC__ === 'undefined' ? null : __ARABIC__ ? 'ar' : 'en';

export const languageOf = (liked: Preferences): Language =>
  built ?? liked.language ?? (navigator.language.startsWith('ar') ? 'ar' : 'en');

/** Loads the files of the chosen language. Without storage, the choice would be lost at the next load. */
function reloadInLanguage(): void {
  const { language } = current;
  if (built !== null && language && language !== built && read(STORAGE).language === language) location.reload();
}

function save(): void {
  try {
    if (person !== null) localStorage.setItem(`${STORAGE}.${person}`, JSON.stringify(current));
    if (current.organization) sessionStorage.setItem(place(), current.organization);
    // Before the next sign-in, the page keeps the last person's theme and language, but not their organizations.
    localStorage.setItem(STORAGE, JSON.stringify({ language: current.language, theme: current.theme }));
  } catch {
    // The storage may be full or turned off, so the choice lasts only as long as the page.
  }
  for (const listener of listeners) listener();
  reloadInLanguage();
}

const place = (): string => `${STORAGE}.${person}.organization`;

function readPlace(): string | undefined {
  try {
    return sessionStorage.getItem(place()) ?? undefined;
  } catch {
    return undefined;
  }
}

function read(name: string): Preferences {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(name) ?? '{}');
    return typeof saved === 'object' && saved !== null ? saved : {};
  } catch {
    return {};
  }
}
