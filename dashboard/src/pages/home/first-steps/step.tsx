import { Text, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';
import classes from './first-steps.module.css';

type Props = { number: number; done: boolean; title: string; hint: string; children: ReactNode };

export function Step({ number, done, title, hint, children }: Props): ReactNode {
  const say = useTexts(texts);
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

/** The form of a step. The server refuses the form from a viewer, so a viewer reads who can do this step instead. */
export function ForMembers({ children }: { children: ReactNode }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { role } = useOrganization();
  if (useMay('member')) return children;
  return (
    <Text size="sm" c="dimmed">
      {say('member_role', { role: sayCommon(`role_${role}`) })}
    </Text>
  );
}
