import { UnstyledButton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { counted, useWaitingConversations } from '../../session/waiting-conversations.ts';
import { inboxTexts } from './inbox-texts.ts';
import { type ConversationView, VIEWS } from './search.ts';
import classes from './inbox.module.css';

type Props = {
  view: ConversationView | undefined;
  onView: (view: ConversationView | undefined) => void;
  /** The views that follow the built-in views. */
  children: ReactNode;
};

/** Shows the views of the list, with the number of conversations. */
export function Views({ view, onView, children }: Props): ReactNode {
  const say = useTexts(inboxTexts);
  const counts = useWaitingConversations().data;
  const group = useRef<HTMLDivElement>(null);
  const isCounted = counts !== undefined;
  useEffect(() => {
    // On a phone, the views are wider than the screen, so the page scrolls to the selected view.
    const chosen = group.current?.querySelector('[aria-pressed=true]');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view, isCounted]);
  return (
    <div ref={group} role="group" aria-label={say('views')} className={classes.views}>
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
