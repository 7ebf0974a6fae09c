import { useEffect, useRef, type RefObject } from 'react';

/** On a phone, a row of tabs is wider than the window, so the page scrolls to the open tab. */
export function useScrollToTab(tab: string): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    row.current
      ?.querySelector('[role=tab][aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  return row;
}
