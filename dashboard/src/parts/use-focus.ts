import { useLayoutEffect, useState } from 'react';

type Find = () => HTMLElement | null;

/**
 * Gives the focus to what `find` finds, once all that is set together with it is in the page: not before, so that a
 * screen reader reads a field with its fault; nor later, when a person may be typing into another one.
 */
export function useFocus(): (find: Find) => void {
  const [target, setTarget] = useState<{ find: Find } | null>(null);
  useLayoutEffect(() => target?.find()?.focus(), [target]);
  return (find) => setTarget({ find });
}
