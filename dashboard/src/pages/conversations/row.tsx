import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { ListedConversation } from '../../../../contract/dashboard/conversations.ts';
import { lasting, relative, utc } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { statusTexts } from '../../parts/conversations/status-texts.ts';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { useSession } from '../../session/session.ts';
import { inboxTexts } from './inbox-texts.ts';
import type { ConversationsSearch } from './search.ts';
import { timeTexts } from './snooze-times.ts';
import { snoozeTexts } from './snooze-texts.ts';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';
import inbox from './inbox.module.css';

/** The selected view and state of the list, which a row does not repeat. */
export type Shown = Pick<ConversationsSearch, 'view' | 'status'>;

type Props = Shown & {
  item: ListedConversation;
  isOpen: boolean;
  now: number;
  /** The names of the kind of channel and of the agent, if the rows of the list differ in them. */
  kind: string | undefined;
  agent: string | undefined;
};

/**
 * A row has two lines: the person and the time, then the last message and the state where it differs from the view. All
 * props are equal for a row that did not change, so opening a conversation renders two rows and not the whole list.
 */
export const Row = memo(function Row({ item, isOpen, now, kind, agent, view, status }: Props): ReactNode {
  const say = useTexts(inboxTexts);
  const nameOf = usePersonName();
  const from = [kind, agent, item.key].filter((one) => typeof one === 'string' && one !== '');
  const name = nameOf(item.end_user);
  return (
    <Link
      id={`row-${item.id}`}
      to="/conversations/$conversation_id"
      params={{ conversation_id: item.id }}
      search={true}
      resetScroll={false}
      className={classes.row}
      aria-current={isOpen ? 'page' : undefined}
      data-row={item.id}
    >
      <Avatar name={name} id={item.end_user.id} />
      <span className={classes.rowWords}>
        <span className={classes.rowLine}>
          <span className={classes.rowName}>
            {item.unread && (
              <>
                <span className={inbox.unread} aria-hidden="true" />
                <VisuallyHidden>{say('unread')}</VisuallyHidden>
              </>
            )}
            <bdi>{name}</bdi>
          </span>
          {from.length > 0 && (
            <span className={classes.rowSoft} title={from.join(' · ')}>
              {from.map((one, index) => (
                <span key={one}>
                  {index > 0 && ' · '}
                  <bdi>{one}</bdi>
                </span>
              ))}
            </span>
          )}
          <LastTime at={item.last_message?.created_at ?? item.created_at} now={now} />
        </span>
        <span className={classes.rowLine} data-found={item.found ? true : undefined}>
          {item.found ? <Found of={item.found} /> : <LastWords of={item} />}
          <span className={inbox.marks}>
            <Mark item={item} now={now} shown={{ view, status }} />
            {item.status === 'handed_off' && view !== 'mine' && view !== 'unassigned' && (
              <Assignee id={item.assignee_id} />
            )}
          </span>
        </span>
      </span>
    </Link>
  );
});

/** Shows what the view does not show, which is how long the person waits, the end of the snooze, or the state. */
function Mark({ item, now, shown }: { item: ListedConversation; now: number; shown: Shown }): ReactNode {
  const say = useTexts(inboxTexts);
  const sayTime = useTexts(snoozeTexts);
  const sayStatus = useTexts(statusTexts);
  const { snoozed_until, waiting_since, status } = item;
  if (snoozed_until) {
    const time = timeTexts(say.language, new Date(snoozed_until));
    return <span>{sayTime(shown.view === 'snoozed' ? 'until_short' : 'until_time', { time })}</span>;
  }
  if (waiting_since) {
    const time = lasting(say.language, now - Date.parse(waiting_since));
    return <span className={inbox.waits}>{time === '' ? say('waiting_now') : say('waiting_for', { time })}</span>;
  }
  const ofView = shown.view === undefined || shown.view === 'mentions' ? undefined : 'handed_off';
  if (status === 'open' || status === (shown.status ?? ofView)) return null;
  return <span>{sayStatus(`status_${status}`)}</span>;
}

/** Shows the picture of the member who answers, if a member answers. */
function Assignee({ id }: { id: string | null }): ReactNode {
  const say = useTexts(inboxTexts);
  const people = useMemberNames();
  const me = useSession().user.id;
  if (id === null) return <VisuallyHidden>{say('assigned_none')}</VisuallyHidden>;
  const name = people(id) ?? say('assigned_gone');
  return (
    <span className={inbox.assignee} title={name}>
      <Avatar name={name} id={id} className={inbox.assigneeFace} />
      <VisuallyHidden>{id === me ? say('assigned_you') : name}</VisuallyHidden>
    </span>
  );
}

function LastTime({ at, now }: { at: string; now: number }): ReactNode {
  const { language } = useTexts(texts);
  return (
    <time dateTime={at} className={classes.rowTime} title={utc(at)}>
      {relative(language, at, Math.max(now, Date.parse(at)), 'narrow')}
    </time>
  );
}

function Found({ of: { role, before, match, after } }: { of: NonNullable<ListedConversation['found']> }): ReactNode {
  return (
    <span className={classes.rowLast}>
      <Author role={role} />
      <span dir="auto" className={inbox.around}>
        {before}
        <mark className={inbox.found}>{match}</mark>
        {after}
      </span>
    </span>
  );
}

/** Messages of the person have no name before them. */
function Author({ role }: { role: NonNullable<ListedConversation['found']>['role'] }): ReactNode {
  const say = useTexts(texts);
  if (role === 'end_user') return null;
  return <span>{say(role === 'agent' ? 'last_agent' : role === 'member' ? 'last_member' : 'last_system')}</span>;
}

/**
 * Shows the last words of the person, or of the team with the name of the member. If neither the person nor the team
 * has written, the row shows the last words of the agent. A picture or a location without a text is shown by its kind.
 */
function LastWords({ of: { last_human_message, last_message } }: { of: ListedConversation }): ReactNode {
  const say = useTexts(texts);
  const last = last_human_message ?? last_message;
  if (last === null) return <span />;
  return (
    <span className={classes.rowLast}>
      {last_human_message?.author_id ? <Member id={last_human_message.author_id} /> : <Author role={last.role} />}
      {/* The text has a separate box, so that text of the other direction loses its end, not its start. */}
      <span dir="auto" className={classes.rowSaid}>
        {last.text || say(`content_${last.type}` as 'content_image')}
      </span>
    </span>
  );
}

function Member({ id }: { id: string }): ReactNode {
  const say = useTexts(texts);
  const people = useMemberNames();
  const me = useSession().user.id;
  if (id === me) return <span>{say('last_you')}</span>;
  const name = people(id);
  return (
    <span className={classes.rowAuthor}>
      {name ? say.rich('last_named', { name: <bdi>{name}</bdi> }) : say('last_member')}
    </span>
  );
}
