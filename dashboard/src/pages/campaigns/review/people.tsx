import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CampaignReview } from '../../../../../contract/dashboard/campaigns.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useRecipientReason } from '../recipient-state.tsx';
import { texts as recipientTexts } from '../recipient-texts.ts';
import { texts } from './texts.ts';
import classes from './review.module.css';

type LeftOutProps = { groups: CampaignReview['left_out']; onLeave: () => void };

/**
 * Shows the people who are not messaged, by reason. The list of recipients contains the people who were skipped
 * earlier.
 */
export function LeftOut({ groups, onLeave }: LeftOutProps): ReactNode {
  const say = useTexts(texts);
  const sayRecipient = useTexts(recipientTexts);
  const inWords = useRecipientReason();
  return groups
    .filter(({ status }) => status !== 'invalid')
    .map(({ status, reason, is_waiting: isWaiting, count, recipients }) => {
      const why = reason ? inWords(reason) : sayRecipient(`status_${status}`);
      const title = say(isWaiting ? 'left_out' : 'left_before', { number: number(say.language, count), why });
      if (isWaiting) return <People key={`${status} ${reason}`} title={title} total={count} people={recipients} />;
      return (
        <p key={`before ${status} ${reason}`} className={classes.before}>
          {title}{' '}
          <Link to="." search={{ tab: 'progress', status }} onClick={onLeave} className={classes.link}>
            {say('show')}
          </Link>
        </p>
      );
    });
}

type Props = { title: string; total: number; people: CampaignReview['empty']['recipients']; note?: ReactNode };

/** Shows a count that links to the matching list. */
export function People({ title, total, people, note }: Props): ReactNode {
  const say = useTexts(texts);
  const more = total - people.length;
  return (
    <details className={classes.group}>
      <summary>
        {title} {note}
      </summary>
      <ul>
        {people.map(({ id, ref, end_user_id, name }) => (
          <li key={id}>
            {end_user_id === null ? (
              <bdi>{name ?? ref ?? say('no_name')}</bdi>
            ) : (
              <Link to="/end-users/$end_user_id" params={{ end_user_id }} className={classes.link} dir="auto">
                {name ?? ref ?? say('no_name')}
              </Link>
            )}
            {name && ref && <small dir="auto"> {ref}</small>}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {say('more', { number: number(say.language, more) })}
        </Text>
      )}
    </details>
  );
}
