import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RecipientCounts, RecipientStatus } from '../../../../contract/campaigns.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts as recipientTexts } from './recipient-texts.ts';
import { GROUP_NAMES, GROUPS, type Group } from './recipient-state.tsx';
import { texts } from './texts.ts';
import classes from './funnel.module.css';

type Props = { counts: RecipientCounts; total: number; chosen: RecipientStatus | undefined };

/**
 * Shows the progress of all recipients, with a total, and each status with its meaning and a link to its recipients.
 */
export function Funnel({ counts, total, chosen }: Props): ReactNode {
  const say = useTexts(texts);
  const sayRecipient = useTexts(recipientTexts);
  const sumOf = (group: Group): number => GROUPS[group].reduce((sum, status) => sum + counts[status], 0);
  const summary = GROUP_NAMES.map(
    (group) => `${sayRecipient(`group_${group}`)}: ${number(say.language, sumOf(group))}`,
  );
  return (
    <>
      <Text size="sm" c="dimmed">
        {say('total', { count: total, number: number(say.language, total) })}
      </Text>
      <div className={classes.all} role="img" aria-label={summary.join(', ')}>
        {GROUP_NAMES.filter((group) => sumOf(group) > 0).map((group) => (
          <span key={group} data-group={group} style={{ flexGrow: sumOf(group) }} />
        ))}
      </div>
      <div className={classes.groups}>
        {GROUP_NAMES.map((group) => (
          <section key={group} aria-label={sayRecipient(`group_${group}`)}>
            <h3 className={classes.heading} data-group={group}>
              <span>{sayRecipient(`group_${group}`)}</span>
              <b>{number(say.language, sumOf(group))}</b>
            </h3>
            <ul className={classes.list}>
              {GROUPS[group].map((status) => (
                <li key={status} data-status={status} data-none={counts[status] === 0 || undefined}>
                  <div className={classes.line}>
                    <Link
                      to="."
                      search={{ tab: 'progress', status: chosen === status ? undefined : status }}
                      aria-current={chosen === status || undefined}
                      resetScroll={false}
                    >
                      {sayRecipient(`status_${status}`)}
                    </Link>
                    <b data-count>{number(say.language, counts[status])}</b>
                  </div>
                  <div className={classes.bar} aria-hidden="true">
                    <span data-group={group} style={{ width: `${(100 * counts[status]) / total}%` }} />
                  </div>
                  <p>{sayRecipient(`means_${status}`)}</p>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
