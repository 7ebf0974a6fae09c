import { useRef } from 'react';

/**
 * Returns the current draft if it has changed after this rendering. Text that the user types while a draft is saved is
 * not saved yet.
 */
export function useNewerDraft<T>(draft: T | null): () => T | null {
  const newest = useRef(draft);
  newest.current = draft;
  return () => (newest.current === draft ? null : newest.current);
}
