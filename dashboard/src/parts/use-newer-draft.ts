import { useRef } from 'react';

/** The current draft if it has changed since this rendering. Text that is typed during saving is not saved yet. */
export function useNewerDraft<T>(draft: T | null): () => T | null {
  const newest = useRef(draft);
  newest.current = draft;
  return () => (newest.current === draft ? null : newest.current);
}
