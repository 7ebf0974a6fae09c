import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { IdCode } from './id-code.tsx';
import classes from './fact.module.css';

const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** Shows a fixed value, such as a key or a URL, with its name and a copy button. */
export function CopyFact({ label, value, copyLabel }: { label: string; value: string; copyLabel: string }): ReactNode {
  return (
    <div className={classes.fact} data-copy-scope>
      <span className={classes.label}>{label}</span>
      <span className={classes.value}>
        {ID.test(value) ? <IdCode id={value} /> : <code data-copy-source>{value}</code>}
        <CopyButton text={value} label={copyLabel} />
      </span>
    </div>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className={classes.fact}>
      <span className={classes.label}>{label}</span>
      <span className={classes.value}>{children}</span>
    </div>
  );
}

export function Facts({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.facts}>{children}</div>;
}
