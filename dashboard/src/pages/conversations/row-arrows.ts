const TARGETS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrow keys, Home and End move the focus between the rows of the list. */
export const moveInRows = (event: KeyboardEvent): void => {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  const row = target instanceof Element && target.closest<HTMLElement>('[data-row]');
  if (!row || altKey || ctrlKey || metaKey || shiftKey) return;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const next = TARGETS[key]?.(rows.indexOf(row), rows.length - 1);
  if (next === undefined) return;
  // The browser would scroll the list as well.
  event.preventDefault();
  rows[next]?.focus();
};
