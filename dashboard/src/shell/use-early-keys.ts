import { useEffect, useMemo } from 'react';

const WAIT_MS = 5_000;

/**
 * Text that is typed between Ctrl-K and the opening of the finder belongs to its field, even while the code is loading.
 */
export function useEarlyKeys(): { begin: () => void; take: () => string } {
  const early = useMemo(() => ({ typed: '', until: 0 }), []);
  useEffect(() => {
    const keep = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, isComposing } = event;
      if (performance.now() > early.until || ctrlKey || metaKey || altKey || isComposing) return;
      if (key === 'Backspace') early.typed = early.typed.slice(0, -1);
      else if (key.length === 1) early.typed += key;
      // Enter must not reach the field or the button that has the focus.
      else if (key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('keydown', keep, true);
    return () => document.removeEventListener('keydown', keep, true);
  }, [early]);
  return useMemo(
    () => ({
      begin: () => {
        early.typed = '';
        early.until = performance.now() + WAIT_MS;
      },
      take: () => {
        const { typed } = early;
        early.typed = '';
        early.until = 0;
        return typed;
      },
    }),
    [early],
  );
}
