import { useSyncExternalStore } from 'react';

/**
 * What a person likes: theme, language, the organization last worked in. Kept in this browser, one record for each
 * person and one for a visitor who has not signed in (the sign-in page has a language too). public/preferences.js reads the same
 * storage before the first paint. Never a place for keys or anything that the server said.
 */
export type Language = 'en' | 'ar';
export type Theme = 'light' | 'dark' | 'auto';
export type Preferences = {
  language?: Language;
  theme?: Theme;
  /** Organization last worked in. */
  organization?: string;
  /** Tell of hand-offs by notices of the desktop. */
  notify?: boolean;
  /** False: no single keys, for who speaks to the computer. */
  single_keys?: boolean;
  /** Rows of lists are low. */
  dense?: boolean;
  /** Columns that are not shown, by list. */
  hidden_columns?: Record<string, string[]>;
  /** Organizations in which the first steps are put away. */
  hidden_steps?: string[];
  /** Agents that were talked to in the playground: First steps ticks itself by it. */
  tried?: string[];
  /** How often a page was opened, by its path, as long as that decides what the page explains. */
  visits?: Record<string, number>;
};

const STORAGE = 'parley.preferences';
const MAX_TRIED = 50;
/** Who has opened a page three times knows what it is for. */
const EXPLAINED_VISITS = 3;

let person: string | null = null;
let current: Preferences = read(STORAGE);
const listeners = new Set<() => void>();

/**
 * From now on the preferences are this person's; what they chose before signing in is kept where they had none. `first`
 * is the organization of who has not chosen one.
 */
export function rememberAs(userId: string, first: string | undefined): void {
  if (person === userId) return;
  person = userId;
  current = { ...read(`${STORAGE}.${userId}`) };
  // A window stays in its organization, whichever another one goes to: its address names things of that one.
  current.organization = readPlace() ?? current.organization ?? first;
  const before = read(STORAGE);
  current.language ??= before.language;
  current.theme ??= before.theme;
  save();
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

/** Counts a visit of a page that explains itself on the first ones; false: it was explained often enough. */
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

export const languageOf = (liked: Preferences): Language =>
  liked.language ?? (navigator.language.startsWith('ar') ? 'ar' : 'en');

function save(): void {
  try {
    if (person !== null) localStorage.setItem(`${STORAGE}.${person}`, JSON.stringify(current));
    if (current.organization) sessionStorage.setItem(place(), current.organization);
    // Before anybody has signed in again, the page looks as it did for the last person; their places are not told.
    localStorage.setItem(STORAGE, JSON.stringify({ language: current.language, theme: current.theme }));
  } catch {
    // Storage may be full or switched off: the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
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
