import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { useTabCount } from '../parts/tab-title.ts';
import { counted, useWaitingConversations } from '../session/waiting-conversations.ts';
import { useHandOffNotice } from './hand-off-notice.ts';
import { words } from './words.ts';
import classes from './shell.module.css';

/** The number of conversations that members must answer, next to the entry of the sidebar. */
export function WaitingCount(): ReactNode {
  const say = useWords(words);
  const waiting = useWaitingConversations().data?.waiting ?? 0;
  if (waiting === 0) return null;
  return (
    <span className={classes.waiting}>
      <span aria-hidden="true">{counted(waiting)}</span>
      <VisuallyHidden>{say('waiting', { count: waiting })}</VisuallyHidden>
    </span>
  );
}

/** The same number in the title of the browser's tab, once per window. */
export function WaitingInTab(): ReactNode {
  const waiting = useWaitingConversations().data?.waiting ?? 0;
  useHandOffNotice();
  useTabCount(waiting === 0 ? '' : counted(waiting));
  return null;
}
