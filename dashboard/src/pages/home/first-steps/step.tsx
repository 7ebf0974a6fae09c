import { VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../../../language/words.tsx';
import { words } from './words.ts';
import classes from './first-steps.module.css';

type Props = { number: number; done: boolean; title: string; hint: string; children: ReactNode };

export function Step({ number, done, title, hint, children }: Props): ReactNode {
  const say = useWords(words);
  return (
    <li className={classes.step} data-done={done || undefined} data-step={number}>
      <span className={classes.mark} aria-hidden="true">
        {done ? <IconCheck size={17} stroke={2.6} /> : number}
      </span>
      <div className={classes.body}>
        <h3>
          {title} {done && <VisuallyHidden>({say('done')})</VisuallyHidden>}
        </h3>
        <p className={classes.hint}>{hint}</p>
        <div className={classes.content}>{children}</div>
      </div>
    </li>
  );
}
