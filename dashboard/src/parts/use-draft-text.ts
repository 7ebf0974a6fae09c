import { useState } from 'react';

type SetText = (next: string | ((now: string) => string)) => void;

/** Stores unfinished text in this tab's session storage, so that another page or a reload does not lose it. */
export function useDraftText(place: string): [string, SetText] {
  const [text, setText] = useState(() => read(place));
  // The stored text is the current one, also after the page with the field was left.
  const set: SetText = (next) => {
    const now = typeof next === 'string' ? next : next(read(place));
    write(place, now);
    setText(now);
  };
  return [text, set];
}

/** The texts of a tab whose storage is full or turned off. They last only as long as the page. */
const unstored = new Map<string, string>();

function read(place: string): string {
  try {
    return unstored.get(place) ?? sessionStorage.getItem(place) ?? '';
  } catch {
    return '';
  }
}

function write(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
    unstored.delete(place);
  } catch {
    unstored.set(place, text);
  }
}
