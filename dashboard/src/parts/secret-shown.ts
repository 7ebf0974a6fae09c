import { useEffect } from 'react';

/** How many secrets on the screen cannot be shown again: until they are closed, the page does not navigate away. */
let shownNow = 0;

export const isSecretShown = (): boolean => shownNow > 0;

export function useSecretShown(shown: boolean): void {
  useEffect(() => {
    if (!shown) return undefined;
    shownNow++;
    return () => void shownNow--;
  }, [shown]);
}
