import { Checkbox, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { listTexts } from './list-texts.ts';
import type { Selection } from './use-selection.ts';
import classes from './selection-bar.module.css';

type Props = {
  selection: Selection;
  /** The rows on the current page. */
  many: number;
  /** The actions on the selected rows. */
  children: ReactNode;
  problem?: ReactNode;
};

/**
 * The bar is visible while at least one row is selected. The bar is below the rows, at the end of the window, so that
 * the rows do not move when the first row is selected.
 */
export function SelectionBar({ selection, many, children, problem }: Props): ReactNode {
  const say = useTexts(listTexts);
  const { chosen } = selection;
  if (chosen.length === 0) return null;
  const words = say('selected', { count: chosen.length });
  return (
    <div role="group" aria-label={words} className={classes.bar}>
      <Checkbox
        size="sm"
        label={words}
        checked={chosen.length === many}
        indeterminate={chosen.length < many}
        onChange={() => (chosen.length < many ? selection.selectAll() : selection.clear())}
      />
      <Group gap={6}>{children}</Group>
      {problem}
    </div>
  );
}
