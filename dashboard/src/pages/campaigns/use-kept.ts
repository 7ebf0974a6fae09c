import { createContext, useContext, useState } from 'react';

/** The input of the tabs, which the page of the campaign owns. */
export const KeptInput = createContext(new Map<string, unknown>());

type SetValue<T> = (next: T | ((now: T) => T)) => void;

/** Is like useState, but the value stays while the user looks at another tab of the campaign. */
export function useKept<T extends object | string>(place: string, initial: T): [T, SetValue<T>] {
  const kept = useContext(KeptInput);
  const read = (): T => (kept.get(place) as T | undefined) ?? initial;
  const [value, setValue] = useState(read);
  const set: SetValue<T> = (next) => {
    const now = typeof next === 'function' ? next(read()) : next;
    kept.set(place, now);
    setValue(now);
  };
  return [value, set];
}
