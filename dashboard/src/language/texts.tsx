import { Fragment, useMemo, type ReactNode } from 'react';
import { languageOf, usePreferences, type Language } from '../preferences.ts';

/**
 * The texts of a page are defined next to the page in both languages, and load with the page:
 *
 *   export const texts = defineTexts({ greeting: 'Hello {name}' }, { greeting: 'مرحبًا {name}' });
 *   const say = useTexts(texts);
 *   say('greeting', { name })           → text
 *   say.rich('greeting', { name: <b/> }) → text with elements in it
 *
 * The built files of a language contain only its texts (build/languages.ts), so a window keeps its language. The
 * compiler rejects a text that is missing in one of the languages. A text that depends on a number is an object of
 * plural forms, named as in Intl.PluralRules. The value `count` selects the form.
 */
export type Plural = { other: string; zero?: string; one?: string; two?: string; few?: string; many?: string };
type Entry = string | Plural;
type Translated<T> = { [K in keyof T]: T[K] extends string ? string : Plural };
export type Texts<K extends string> = Record<Language, Record<K, Entry>>;
type Values = Record<string, string | number>;

export type Say<K extends string> = {
  (key: K, values?: Values): string;
  rich(key: K, values: Record<string, ReactNode>): ReactNode;
  language: Language;
};

export const defineTexts = <const T extends Record<string, Entry>>(
  en: T,
  ar: Translated<T>,
): Texts<keyof T & string> => ({ en, ar: ar ?? en });

export function useTexts<K extends string>(texts: Texts<K>): Say<K> {
  const language = useLanguage();
  return useMemo(() => sayIn(texts, language), [texts, language]);
}

export const useLanguage = (): Language => languageOf(usePreferences());

/** Digits are grouped alike in both languages. The functions of format.ts are not in the first load of a page. */
const grouped = <T,>(value: T | number): T | string => (typeof value === 'number' ? value.toLocaleString('en') : value);

export function sayIn<K extends string>(texts: Texts<K>, language: Language): Say<K> {
  const pick = (key: K, count: unknown): string => {
    const entry = texts[language][key];
    if (typeof entry === 'string') return entry;
    return entry[pluralRules(language).select(Number(count ?? 0))] ?? entry.other;
  };
  const say = (key: K, values: Values = {}): string =>
    pick(key, values['count']).replace(PLACE, (whole, name: string) => grouped(values[name]) ?? whole);
  const rich = (key: K, values: Record<string, ReactNode>): ReactNode =>
    pick(key, values['count'])
      .split(PLACE)
      // A split by a pattern with one group gives text, name, text, name, …
      .map((part, index) => <Fragment key={index}>{index % 2 === 1 ? grouped(values[part]) : part}</Fragment>);
  return Object.assign(say, { rich, language });
}

const PLACE = /\{(\w+)\}/g;

const rules = new Map<Language, Intl.PluralRules>();
function pluralRules(language: Language): Intl.PluralRules {
  let known = rules.get(language);
  if (!known) rules.set(language, (known = new Intl.PluralRules(language)));
  return known;
}
