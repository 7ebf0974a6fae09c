import { useState } from 'react';

type SetText = (next: string | ((now: string) => string)) => void;

/** Stores unfinished text in this tab's session storage, so that another page or a reload does not lose it. */
export function useDraftText(place: string): [string, SetText] {
  const [text, setText] = useState(() => read(place));
  const set: SetText = (next) =>
    setText((now) => {
      const text = typeof next === 'string' ? next : next(now);
      write(place, text);
      return text;
    });
  return [text, set];
}

function read(place: string): string {
  try {
    return sessionStorage.getItem(place) ?? '';
  } catch {
    return '';
  }
}

function write(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {
    // The storage may be full or turned off, so the text lasts only as long as the page.
  }
}
