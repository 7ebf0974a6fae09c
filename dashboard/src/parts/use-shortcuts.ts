import { useEffect, useRef } from 'react';
import { preferences } from '../preferences.ts';

/** `key`: a small letter, or the character itself, such as `?` and `/`. `label`: what it does, in the reader's language. */
export type Shortcut = { key: string; label: string; act: () => void };

const groups: { current: readonly Shortcut[] }[] = [];

/**
 * Single keys, while the page that names them is shown. A key that two pages name belongs to the one that came last.
 * They rest while a person types, composes a word or has a dialog or a menu open, and for who has turned them off.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const group = useRef(shortcuts);
  useEffect(() => {
    group.current = shortcuts;
  });
  useEffect(() => {
    if (groups.length === 0) addEventListener('keydown', act);
    groups.push(group);
    return () => {
      groups.splice(groups.indexOf(group), 1);
      if (groups.length === 0) removeEventListener('keydown', act);
    };
  }, []);
}

/** Those of the page as it is now, each key once. */
export function shownShortcuts(): readonly Shortcut[] {
  const byKey = new Map<string, Shortcut>();
  for (const { current } of groups) for (const shortcut of current) byKey.set(shortcut.key, shortcut);
  return [...byKey.values()].toSorted((a, b) => Number(a.key === '?') - Number(b.key === '?'));
}

function act(event: KeyboardEvent): void {
  if (preferences().single_keys === false || !isFree(event)) return;
  const key = keyOf(event);
  const shortcut = shownShortcuts().find((one) => one.key === key);
  if (!shortcut) return;
  // The letter itself must not arrive in the field that gets the focus.
  event.preventDefault();
  shortcut.act();
}

/** What takes letters itself: fields, and lists that go to the entry that begins with them. */
const TAKES_LETTERS =
  'input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]:not([contenteditable=false]), [role=combobox], [role=listbox], [role=menu]';
const IN_THE_WAY = '[aria-modal=true], dialog[open], [role=menu]:popover-open';

function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.target instanceof Element && event.target.closest(TAKES_LETTERS)) return false;
  return document.querySelector(IN_THE_WAY) === null;
}

/** On a keyboard with other letters it is the place of the key that counts. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (/^[a-z]$/i.test(key)) return shiftKey ? key.toUpperCase() : key.toLowerCase();
  if (key === '؟') return '?';
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  return place && /^\p{L}$/u.test(key) && !shiftKey ? place.toLowerCase() : key;
}
