import { Checkbox, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { listWords } from './list-words.ts';
import type { Selection } from './use-selection.ts';
import classes from './selection-bar.module.css';

type Props = {
  selection: Selection;
  /** Rows on the page. */
  many: number;
  /** What can be done with all that is selected. */
  children: ReactNode;
  problem?: ReactNode;
  /** Below the rows, at the end of the window: rows do not move when the first one is selected. */
  below?: boolean;
};

/** Is there while some rows are selected. The list stays in sight, so that one can go on selecting. */
export function SelectionBar({ selection, many, children, problem, below }: Props): ReactNode {
  const say = useWords(listWords);
  const { chosen } = selection;
  if (chosen.length === 0) return null;
  const words = say('selected', { count: chosen.length });
  return (
    <div role="group" aria-label={words} className={classes.bar} data-below={below}>
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
