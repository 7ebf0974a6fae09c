import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './id-code.module.css';

const TAIL = 6;

/** An ID; where it has no room, or is wanted short, it is cut in the middle, and a selection still holds all of it. */
export function IdCode({ id, short = false }: { id: string; short?: boolean }): ReactNode {
  return (
    <code className={classes.id} title={id} data-short={short || undefined} data-copy-source>
      <span className={classes.head}>{id.slice(0, -TAIL)}</span>
      <span className={classes.tail}>{id.slice(-TAIL)}</span>
    </code>
  );
}

/** In a list: short, with the button that copies all of it. */
export function IdToCopy({ id, label }: { id: string; label: string }): ReactNode {
  return (
    <span className={classes.toCopy} data-copy-scope>
      <IdCode id={id} short />
      <CopyButton text={id} label={label} />
    </span>
  );
}
