import { useEffect } from 'react';

/**
 * A button is disabled while its action runs, and the browser then moves the focus to the page. When the button is
 * enabled again, it gets the focus back, unless the user has focused another element.
 */
export function useFocusAfterActions(): void {
  useEffect(() => {
    let focused: EventTarget | null = null;
    const remember = ({ target }: FocusEvent): void => void (focused = target);
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes)
        if (target === focused && document.activeElement === document.body)
          (target as HTMLElement).focus({ preventScroll: true });
    });
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
    return () => {
      document.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, []);
}
