import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './id-code.module.css';

const TAIL = 6;

/** Shows an ID. If the space is too small, the ID is cut in the middle, but a selection contains the whole ID. */
export function IdCode({ id, short = false }: { id: string; short?: boolean }): ReactNode {
  return (
    <code className={classes.id} title={id} data-short={short || undefined} data-copy-source>
      <span className={classes.head}>{id.slice(0, -TAIL)}</span>
      <span className={classes.tail}>{id.slice(-TAIL)}</span>
    </code>
  );
}

/** Shows a short ID for a list, with a button that copies the whole ID. */
export function IdToCopy({ id, label }: { id: string; label: string }): ReactNode {
  return (
    <span className={classes.toCopy} data-copy-scope>
      <IdCode id={id} short />
      <CopyButton text={id} label={label} />
    </span>
  );
}
