import { useEffect, useRef } from 'react';
import { preferences } from '../preferences.ts';

/**
 * `key`: a lower-case letter, or a character such as `?` and `/`. An action without a key is only listed by Ctrl-K.
 * `label`: the action, in the reader's language.
 */
export type Shortcut = { key?: string; label: string; act: () => void };
type Keyed = Shortcut & { key: string };

const groups: { current: readonly Shortcut[] }[] = [];
const listeners = new Set<() => void>();
const announce = (): void => {
  for (const listen of listeners) listen();
};

/**
 * Single keys work while the page that declares them is shown. If two pages declare a key, the later page gets it. The
 * keys do not work during typing and text composition, while a dialog or menu is open, and if the user has turned them
 * off.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const group = useRef(shortcuts);
  useEffect(() => {
    group.current = shortcuts;
    announce();
  });
  useEffect(() => {
    if (groups.length === 0) addEventListener('keydown', act);
    groups.push(group);
    announce();
    return () => {
      groups.splice(groups.indexOf(group), 1);
      announce();
      if (groups.length === 0) removeEventListener('keydown', act);
    };
  }, []);
}

/** Returns the keys of the current page, each key once. */
export function shownShortcuts(): readonly Keyed[] {
  const byKey = new Map<string, Keyed>();
  for (const { current } of groups)
    for (const { key, ...shortcut } of current) if (key !== undefined) byKey.set(key, { key, ...shortcut });
  return [...byKey.values()].toSorted((a, b) => Number(a.key === '?') - Number(b.key === '?'));
}

/** Returns the actions of the current page, with and without a key, each label once. */
export function pageActions(): readonly Shortcut[] {
  const byLabel = new Map<string, Shortcut>();
  for (const shortcut of shownShortcuts()) byLabel.set(shortcut.label, shortcut);
  for (const { current } of groups)
    for (const shortcut of current) if (shortcut.key === undefined) byLabel.set(shortcut.label, shortcut);
  return [...byLabel.values()];
}

/** Calls `listen` when a page has declared its actions again. Returns a function that ends the calls. */
export function onPageActions(listen: () => void): () => void {
  listeners.add(listen);
  return () => void listeners.delete(listen);
}

function act(event: KeyboardEvent): void {
  if (preferences().single_keys === false || !isFree(event)) return;
  const key = keyOf(event);
  const shortcut = shownShortcuts().find((one) => one.key === key);
  if (!shortcut) return;
  // The letter of the shortcut must not be typed into the field that gets the focus.
  event.preventDefault();
  shortcut.act();
}

/** Elements in which letters have another use, such as fields, and lists with type-ahead. */
const TAKES_LETTERS =
  'input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]:not([contenteditable=false]), [role=combobox], [role=listbox], [role=menu]';
const IN_THE_WAY = '[aria-modal=true], dialog[open], [role=menu]:popover-open';

function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.target instanceof Element && event.target.closest(TAKES_LETTERS)) return false;
  return document.querySelector(IN_THE_WAY) === null;
}

/** On another keyboard layout, the position of the key counts. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (/^[a-z]$/i.test(key)) return shiftKey ? key.toUpperCase() : key.toLowerCase();
  if (key === '؟') return '?';
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  return place && /^\p{L}$/u.test(key) && !shiftKey ? place.toLowerCase() : key;
}
