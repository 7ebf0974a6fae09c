import type { ReactNode } from 'react';
import type { ConversationChange } from '../../../../contract/dashboard/conversations.ts';
import { clock } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { changeTexts } from './change-texts.ts';
import { timeTexts } from './snooze-times.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

/** The record lists runs separately from other changes. */
type Shown = Omit<ConversationChange, 'type'> & { type: ConversationChange['type'] | 'run_started' };

/** Shows a change by a member or the agent between the messages of the conversation. */
export function ChangeLine({ change }: { change: Shown }): ReactNode {
  const say = useTexts(changeTexts);
  const sayMember = useTexts(texts);
  const people = useMemberNames();
  const { type, actor_id, user_id, until, created_at } = change;
  const nameOf = (id: string): ReactNode => <bdi>{people(id) ?? sayMember('member')}</bdi>;
  const parts = {
    who: actor_id === null ? say('by_program') : nameOf(actor_id),
    name: user_id !== null && nameOf(user_id),
    time: until !== null && timeTexts(say.language, new Date(until)),
  };
  return (
    <p className={classes.note} data-change={type}>
      {say.rich(type, parts)} · <time dateTime={created_at}>{clock(say.language, created_at)}</time>
    </p>
  );
}
