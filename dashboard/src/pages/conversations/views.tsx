import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.tsx';
import { counted, useWaiting } from '../../session/waiting.ts';
import { inboxWords } from './inbox-words.ts';
import { type ConversationView, VIEWS } from './search.ts';
import classes from './inbox.module.css';

type Props = {
  view: ConversationView | undefined;
  onView: (view: ConversationView | undefined) => void;
  /** What stands behind the views that are always there. */
  children: ReactNode;
};

/** Whose conversations the list shows, with how many there are. */
export function Views({ view, onView, children }: Props): ReactNode {
  const say = useWords(inboxWords);
  const counts = useWaiting().data;
  return (
    <div role="group" aria-label={say('views')} className={classes.views}>
      {[...VIEWS, undefined].map((one) => (
        <UnstyledButton
          key={one ?? 'all'}
          className={classes.view}
          aria-pressed={one === view}
          onClick={() => onView(one)}
        >
          {say(`view_${one ?? 'all'}`)}
          {counts && <span className={classes.count}>{counted(counts[one ?? 'all'])}</span>}
        </UnstyledButton>
      ))}
      {children}
    </div>
  );
}
