import { useState } from 'react';

/** The selected rows on the current page of the list. A row that leaves the page is no longer selected. */
export function useSelection(ids: readonly string[]) {
  const [all, setAll] = useState<ReadonlySet<string>>(new Set());
  const chosen = ids.filter((id) => all.has(id));
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setAll(next);
  };
  return {
    chosen,
    has: (id: string): boolean => all.has(id),
    toggle,
    selectAll: (): void => setAll(new Set(ids)),
    clear: (): void => setAll(new Set()),
  };
}

export type Selection = ReturnType<typeof useSelection>;
