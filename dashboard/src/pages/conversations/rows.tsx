import { Checkbox, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import type { ListedConversation } from '../../../../contract/dashboard/conversations.ts';
import { lasting, relative, utc } from '../../language/format.ts';
import { useWords } from '../../language/words.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { useNow } from '../../parts/moment.tsx';
import { useSession } from '../../session/session.ts';
import { kindWords } from '../../parts/channels/kind-words.ts';
import { useAgentNames, useMemberNames } from '../../parts/names.ts';
import { ConversationStatusBadge } from '../../parts/conversations/status-badge.tsx';
import { usePersonName } from './use-person-name.ts';
import { inboxWords } from './inbox-words.ts';
import { listWords } from '../../list/list-words.ts';
import type { Selection } from '../../list/use-selection.ts';
import { timeWords } from './snooze-times.ts';
import { snoozeWords } from './snooze-words.ts';
import { words } from './words.ts';
import classes from './conversations.module.css';
import inbox from './inbox.module.css';

type RowsProps = {
  items: readonly ListedConversation[];
  chosen: string | undefined;
  stale: boolean;
  /** Null: the reader may not change conversations. */
  selection: Selection | null;
};

/** One page of the list. */
export function Rows({ items, chosen, stale, selection }: RowsProps): ReactNode {
  const say = useWords(words);
  const sayList = useWords(listWords);
  const sayKind = useWords(kindWords);
  const sayInbox = useWords(inboxWords);
  const nameOf = usePersonName();
  const now = useNow();
  const agentName = useAgentNames(items.map(({ agent_id }) => agent_id));
  useEffect(() => {
    if (chosen) document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: 'nearest' });
    // The list scrolls only when another conversation is selected, so the reader's own scrolling is not disturbed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen]);
  return (
    <ul className={classes.rows} data-stale={stale || undefined}>
      {items.map((item) => (
        <li key={item.id} className={inbox.item} data-selecting={(selection?.chosen.length ?? 0) > 0 || undefined}>
          {selection && (
            <Checkbox
              size="sm"
              className={inbox.select}
              aria-label={sayList('select', { name: nameOf(item.end_user) })}
              checked={selection.has(item.id)}
              onChange={() => selection.toggle(item.id)}
            />
          )}
          <Link
            id={`row-${item.id}`}
            to="/conversations/$conversation_id"
            params={{ conversation_id: item.id }}
            search={true}
            resetScroll={false}
            className={classes.row}
            aria-current={item.id === chosen ? 'page' : undefined}
            data-row={item.id}
          >
            <Avatar name={nameOf(item.end_user)} id={item.end_user.id} />
            <span className={classes.rowWords}>
              <span className={classes.rowLine}>
                <span className={classes.rowName}>
                  {item.unread && (
                    <>
                      <span className={inbox.unread} aria-hidden="true" />
                      <VisuallyHidden>{sayInbox('unread')}</VisuallyHidden>
                    </>
                  )}
                  <bdi>{nameOf(item.end_user)}</bdi>
                </span>
                <LastTime at={item.last_message?.created_at ?? item.created_at} now={now} />
              </span>
              {item.found ? <Found of={item.found} /> : <LastWords of={item.last_message} />}
              <span className={classes.rowLine}>
                <span className={classes.rowSoft}>
                  {sayKind(`kind_${item.channel_kind}` as 'kind_sms')}
                  {' · '}
                  <bdi>{agentName(item.agent_id) ?? say('agent')}</bdi>
                  {item.key && (
                    <>
                      {' · '}
                      <bdi>{item.key}</bdi>
                    </>
                  )}
                </span>
                {item.status !== 'open' && <ConversationStatusBadge status={item.status} />}
              </span>
              {item.status === 'handed_off' && <WithPeople item={item} now={now} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The assignee, and how long the person has waited. */
function WithPeople({
  item: { assignee_id, snoozed_until, waiting_since },
  now,
}: {
  item: ListedConversation;
  now: number;
}): ReactNode {
  const say = useWords(inboxWords);
  const people = useMemberNames();
  const me = useSession().user.id;
  const time = waiting_since && lasting(say.language, now - Date.parse(waiting_since));
  const sayTime = useWords(snoozeWords);
  const name = assignee_id && (people(assignee_id) ?? say('assigned_gone'));
  return (
    <span className={inbox.state}>
      {snoozed_until && (
        <span>{sayTime('until_time', { time: timeWords(say.language, new Date(snoozed_until)) })} ·</span>
      )}
      {time !== null && !snoozed_until && (
        <span className={inbox.waits}>{time === '' ? say('waiting_now') : say('waiting_for', { time })} ·</span>
      )}
      <bdi>{name === null ? say('assigned_none') : assignee_id === me ? say('assigned_you') : name}</bdi>
    </span>
  );
}

function LastTime({ at, now }: { at: string; now: number }): ReactNode {
  const { language } = useWords(words);
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
  const say = useWords(words);
  if (role === 'end_user') return null;
  return <span>{say(role === 'agent' ? 'last_agent' : role === 'member' ? 'last_member' : 'last_system')}</span>;
}

/**
 * The start of the last message, with the organization's author if there is one. A picture or a location without text
 * gets a name.
 */
function LastWords({ of }: { of: ListedConversation['last_message'] }): ReactNode {
  const say = useWords(words);
  if (of === null) return null;
  const said = of.text || say(`content_${of.type}` as 'content_image');
  return (
    <span className={classes.rowLast}>
      <Author role={of.role} />
      {/* A separate box, so that text in the other direction is cut at its end. */}
      <span dir="auto" className={classes.rowSaid}>
        {said}
      </span>
    </span>
  );
}
