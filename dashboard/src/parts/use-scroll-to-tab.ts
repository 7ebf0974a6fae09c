import { useEffect, useRef, type RefObject } from 'react';

/**
 * On a phone, a row of tabs is wider than the window, so the row scrolls to the open tab. The method `scrollIntoView`
 * would make the first Tab key start at the tab, behind the navigation.
 */
export function useScrollToTab(tab: string): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const open = row.current?.querySelector('[role=tab][aria-selected=true]');
    if (row.current && open) row.current.scrollLeft += middleOf(open) - middleOf(row.current);
  }, [tab]);
  return row;
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
