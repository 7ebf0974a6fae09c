import { useDebouncedCallback } from '@mantine/hooks';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * The state of a list is in its URL: filters and cursor are search parameters. A link can open the list, a reload does
 * not lose its state, and the browser's Back works. The history entry contains the cursors of earlier pages, for
 * "Previous".
 */
export type ListState<F> = {
  filters: F;
  cursor: string | undefined;
  filtered: boolean;
  setFilters: (change: Partial<F>) => void;
  clear: () => void;
  toFirst: () => void;
  toNext: (cursor: string) => void;
  /** The result is undefined if the earlier pages are unknown, for example after a link was opened. */
  toPrevious: (() => void) | undefined;
};

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the earlier pages. The first page has no cursor, so its entry is an empty text. */
    trail?: string[];
  }
}

const MAX_TRAIL = 200;

export function useListState<F extends object>(filterNames: readonly (keyof F & string)[]): ListState<F> {
  const location = useLocation();
  // A control shows a choice immediately, before the URL has changed.
  const [ahead, setAhead] = useState<{ from: unknown; change: Partial<F> } | null>(null);
  const inUrl = location.search as F & { cursor?: string };
  const search = ahead && ahead.from === location.search ? { ...inUrl, ...ahead.change } : inUrl;
  const { trail } = location.state;
  const navigate = useNavigate();
  type Next = object | ((now: object) => object);
  const go = (next: Next, state: { trail?: string[] } = {}, replace = false): void =>
    void navigate({ to: '.', search: next, state: state, replace, resetScroll: false });

  const filters = Object.fromEntries(filterNames.map((name) => [name, search[name]])) as F;
  const { cursor } = search;
  return {
    filters,
    cursor,
    filtered: filterNames.some((name) => search[name] !== undefined),
    setFilters: (change) => {
      // Another choice may be made before the URL contains the first choice. If two changes are made at the same time,
      // both must stay.
      setAhead((before) => ({
        from: location.search,
        change: before && before.from === location.search ? { ...before.change, ...change } : change,
      }));
      go((now) => ({ ...now, ...change, cursor: undefined }), {}, true);
    },
    clear: () =>
      go(
        { ...search, ...Object.fromEntries(filterNames.map((name) => [name, undefined])), cursor: undefined },
        {},
        true,
      ),
    toFirst: () => go({ ...search, cursor: undefined }),
    toNext: (next) => go({ ...search, cursor: next }, { trail: [...(trail ?? []), cursor ?? ''].slice(-MAX_TRAIL) }),
    toPrevious: trail?.length
      ? () => go({ ...search, cursor: trail.at(-1) || undefined }, { trail: trail.slice(0, -1) })
      : undefined,
  };
}

/** The state of a list in a dialog is not in the URL. The state of the list is reset each time the dialog opens. */
export function usePlacelessList<F extends object>(): ListState<F> {
  const [{ filters, trail }, set] = useState<{ filters: Partial<F>; trail: string[] }>({ filters: {}, trail: [] });
  return {
    filters: filters as F,
    cursor: trail.at(-1),
    filtered: Object.values(filters).some((value) => value !== undefined),
    setFilters: (change) => set({ filters: { ...filters, ...change }, trail: [] }),
    clear: () => set({ filters: {}, trail: [] }),
    toFirst: () => set({ filters, trail: [] }),
    toNext: (next) => set({ filters, trail: [...trail, next] }),
    toPrevious: trail.length > 0 ? () => set({ filters, trail: trail.slice(0, -1) }) : undefined,
  };
}

const TYPING_MS = 250;

/** A search field updates the URL when the user pauses. */
export function useTypedFilter(value: string | undefined, commit: (value: string | undefined) => void) {
  const [typed, setTyped] = useState<{ text: string; written: boolean } | null>(null);
  const later = useDebouncedCallback((text: string) => {
    commit(text.trim() === '' ? undefined : text.trim());
    setTyped({ text, written: true });
  }, TYPING_MS);
  // If the user pauses after a space, the space stays. Another change of the URL, for example by Back, replaces the
  // text.
  const isTyped = typed !== null && (!typed.written || typed.text.trim() === (value ?? ''));
  return {
    value: isTyped ? typed.text : (value ?? ''),
    onChange: (text: string) => {
      setTyped({ text, written: false });
      later(text);
    },
  };
}
