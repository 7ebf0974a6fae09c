import { useLayoutEffect, useState } from 'react';

type Find = () => HTMLElement | null;

/**
 * Focuses the element that `find` returns, after all state changes are in the page. If the focus moved earlier, a
 * screen reader would read a field without its fault. If the focus moved later, the user may already type in another
 * field.
 */
export function useFocus(): (find: Find) => void {
  const [target, setTarget] = useState<{ find: Find } | null>(null);
  useLayoutEffect(() => target?.find()?.focus(), [target]);
  return (find) => setTarget({ find });
}
