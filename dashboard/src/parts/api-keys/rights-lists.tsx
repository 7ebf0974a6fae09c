import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './api-keys.module.css';

/** The list has a sentence for each right, or false if the right does not apply. */
type Lines = readonly (string | false)[];
type Props = {
  titles: { can: string; cannot: string };
  can: Lines;
  cannot: Lines;
  /** The text is shown if no line of `can` applies. */
  nothing: string;
};

/** Shows what a new key or token can and cannot do. Screen readers announce each change. */
export function RightsLists({ titles, can, cannot, nothing }: Props): ReactNode {
  const rights = can.filter((line) => line !== false);
  const isEmpty = rights.length === 0;
  return (
    <div className={classes.pane} aria-live="polite" aria-relevant="additions text">
      <h3>{titles.can}</h3>
      <ul className={isEmpty ? classes.cannot : classes.can}>
        {(isEmpty ? [nothing] : rights).map((line) => (
          <li key={line}>
            {isEmpty ? <span aria-hidden="true">–</span> : <IconCheck size={16} aria-hidden="true" />}
            {line}
          </li>
        ))}
      </ul>
      <h3>{titles.cannot}</h3>
      <ul className={classes.cannot}>
        {cannot
          .filter((line) => line !== false)
          .map((line) => (
            <li key={line}>
              <IconX size={16} aria-hidden="true" />
              {line}
            </li>
          ))}
      </ul>
    </div>
  );
}
