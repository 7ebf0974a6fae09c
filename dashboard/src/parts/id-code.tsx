import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './id-code.module.css';

const TAIL = 6;

/** An ID. If there is not enough space, it is cut in the middle, but a selection still contains all of it. */
export function IdCode({ id, short = false }: { id: string; short?: boolean }): ReactNode {
  return (
    <code className={classes.id} title={id} data-short={short || undefined} data-copy-source>
      <span className={classes.head}>{id.slice(0, -TAIL)}</span>
      <span className={classes.tail}>{id.slice(-TAIL)}</span>
    </code>
  );
}

/** A short ID for a list, with a button that copies the whole ID. */
export function IdToCopy({ id, label }: { id: string; label: string }): ReactNode {
  return (
    <span className={classes.toCopy} data-copy-scope>
      <IdCode id={id} short />
      <CopyButton text={id} label={label} />
    </span>
  );
}
