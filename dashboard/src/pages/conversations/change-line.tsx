import { Fragment, type ReactNode } from 'react';
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
  const { type, actor_id, user_id, until, added_tags, removed_tags, created_at } = change;
  const nameOf = (id: string): ReactNode => <bdi>{people(id) ?? sayMember('member')}</bdi>;
  const tags = tagsOf(added_tags, removed_tags);
  const parts = {
    who: actor_id === null ? say('by_program') : nameOf(actor_id),
    name: user_id !== null && nameOf(user_id),
    added: <Names of={added_tags} />,
    removed: <Names of={removed_tags} />,
    time: until !== null && timeTexts(say.language, new Date(until)),
  };
  return (
    <p className={classes.note} data-change={type}>
      {say.rich(type === 'tagged' ? tags : type, parts)} ·{' '}
      <time dateTime={created_at}>{clock(say.language, created_at)}</time>
    </p>
  );
}

/** Without names, which are erased after the retention period, the line names no tag. */
const tagsOf = (added: readonly string[], removed: readonly string[]) => {
  if (added.length > 0) return removed.length > 0 ? 'tags_replaced' : added.length > 1 ? 'tags_added' : 'tag_added';
  return removed.length > 1 ? 'tags_removed' : removed.length > 0 ? 'tag_removed' : 'tagged';
};

function Names({ of }: { of: readonly string[] }): ReactNode {
  const { language } = useTexts(changeTexts);
  return of.map((tag, index) => (
    <Fragment key={tag}>
      {index > 0 && (language === 'ar' ? '، ' : ', ')}
      <bdi>{tag}</bdi>
    </Fragment>
  ));
}
