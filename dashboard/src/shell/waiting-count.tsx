import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { useTabCount } from '../parts/tab-title.ts';
import { counted, useWaitingConversations } from '../session/waiting-conversations.ts';
import { useNotices } from './hand-off-notice.ts';
import { texts } from './texts.ts';
import classes from './shell.module.css';

/** Shows the number of conversations that members must answer, next to the entry of the sidebar. */
export function WaitingCount(): ReactNode {
  const say = useTexts(texts);
  const waiting = useWaitingConversations().data?.waiting ?? 0;
  if (waiting === 0) return null;
  return (
    <span className={classes.waiting}>
      <span aria-hidden="true">{counted(waiting)}</span>
      <VisuallyHidden>{say('waiting', { count: waiting })}</VisuallyHidden>
    </span>
  );
}

/** Shows the number of tool calls that wait for an approval. */
export function ApprovalCount(): ReactNode {
  const say = useTexts(texts);
  const pending = useWaitingConversations().data?.approvals ?? 0;
  if (pending === 0) return null;
  return (
    <span className={classes.waiting}>
      <span aria-hidden="true">{counted(pending)}</span>
      <VisuallyHidden>{say('pending', { count: pending })}</VisuallyHidden>
    </span>
  );
}

/** Shows the number in the title of the browser's tab, once per window. */
export function WaitingInTab(): ReactNode {
  const waiting = useWaitingConversations().data?.waiting ?? 0;
  useNotices();
  useTabCount(waiting === 0 ? '' : counted(waiting));
  return null;
}
