import { useState } from 'react';

/** What is selected on the page of the list that is shown; what leaves the page is not selected any more. */
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
