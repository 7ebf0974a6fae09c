import { useEffect } from 'react';

/** How many secrets are on the screen that can never be seen again: meanwhile nothing takes the page away. */
let shownNow = 0;

export const isSecretShown = (): boolean => shownNow > 0;

export function useSecretShown(shown: boolean): void {
  useEffect(() => {
    if (!shown) return undefined;
    shownNow++;
    return () => void shownNow--;
  }, [shown]);
}
