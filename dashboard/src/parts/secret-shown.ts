import { useEffect } from 'react';

/**
 * The number of visible secrets that cannot be shown again. Until all visible secrets are closed, the page does not
 * navigate away.
 */
let shownNow = 0;

export const isSecretShown = (): boolean => shownNow > 0;

export function useSecretShown(shown: boolean): void {
  useEffect(() => {
    if (!shown) return undefined;
    shownNow++;
    return () => void shownNow--;
  }, [shown]);
}
