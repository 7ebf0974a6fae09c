import { useEffect, useRef, type RefObject } from 'react';

/** False after the user has left the page or tab that has this component. */
export function useIsHere(): Readonly<RefObject<boolean>> {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return isHere;
}
