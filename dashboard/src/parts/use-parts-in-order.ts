import { useCallback, type RefCallback } from 'react';
import classes from './page.module.css';

const LOADING = '.mantine-Skeleton-root, [aria-busy="true"]';

/**
 * The props of an element whose parts appear in their order: a part below a loading part stays hidden, because it would
 * move when the loading ends. A part that the user has seen stays visible when a part above it loads again.
 */
export function usePartsInOrder(): { ref: RefCallback<HTMLElement>; className: string } {
  const ref = useCallback((list: HTMLElement | null) => {
    if (!list) return;
    const shown = new WeakSet<Element>();
    const mark = (): void => {
      let waits = false;
      for (const part of list.children) {
        if (!waits) shown.add(part);
        part.toggleAttribute('data-waits', !shown.has(part));
        waits ||= part.matches(LOADING) || part.querySelector(LOADING) !== null;
      }
    };
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(list, { childList: true, subtree: true, attributeFilter: ['aria-busy'] });
    return () => observer.disconnect();
  }, []);
  return { ref, className: classes.inOrder! };
}
