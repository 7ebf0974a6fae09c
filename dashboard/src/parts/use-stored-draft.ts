import { useState } from 'react';

/**
 * Holds an unsaved draft, or null. This tab's session storage also has the draft, so that neither a reload nor another
 * page loses it. `base`: the stored value at the start of editing.
 */
export function useStoredDraft<T extends { base: unknown }>(
  place: string,
  readOnly: boolean,
): [draft: T | null, keep: (next: T | null) => void] {
  const [draft, setDraft] = useState<T | null>(() => (readOnly ? null : (read(place) as T | null)));
  return [
    draft,
    (next) => {
      setDraft(next);
      write(place, next);
    },
  ];
}

function read(place: string): object | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(place) ?? 'null');
    return typeof found === 'object' && found !== null && 'base' in found ? found : null;
  } catch {
    return null;
  }
}

function write(place: string, draft: object | null): void {
  try {
    if (draft) sessionStorage.setItem(place, JSON.stringify(draft));
    else sessionStorage.removeItem(place);
  } catch {
    // The storage may be full or turned off, so the changes last only as long as the page.
  }
}
