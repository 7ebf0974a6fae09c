import { useRef } from 'react';

/** What a draft became after this rendering, if it did: what is typed while a draft is being saved is not saved yet. */
export function useNewerDraft<T>(draft: T | null): () => T | null {
  const newest = useRef(draft);
  newest.current = draft;
  return () => (newest.current === draft ? null : newest.current);
}
