import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignRehearsal } from '../../../../../contract/dashboard/rehearsals.ts';
import { number, utc } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useRecipientReason } from '../recipient-state.tsx';
import smallTable from '../../../parts/small-table.module.css';
import { texts } from './texts.ts';
import classes from './rehearsal.module.css';

const SHOWN = 20;

/** Shows the first rows, and the file contains all rows. */
export function Rows({ rows }: { rows: CampaignRehearsal['rows'] }): ReactNode {
  const say = useTexts(texts);
  const inWords = useRecipientReason();
  const shown = rows.slice(0, SHOWN);
  return (
    <div>
      <Text size="sm" fw={550} mb={6} id="rehearsed-rows">
        {say('rows', { count: shown.length, number: number(say.language, shown.length) })}
      </Text>
      {/* The table can be scrolled by keyboard if it is wider than the page. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div
        className={`${smallTable.small} ${classes.rows}`}
        role="region"
        aria-labelledby="rehearsed-rows"
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              {(['recipient', 'zone', 'outcome', 'at', 'message'] as const).map((name) => (
                <th key={name} scope="col">
                  {say(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ ref, name, time_zone: zone, status, reason, at, text, reply }, index) => (
              <tr key={`${index} ${ref}`}>
                <td>
                  <bdi>{name ?? ref ?? say('no_name')}</bdi>
                </td>
                <td>
                  <bdi>{zone ?? '–'}</bdi>
                </td>
                <td>
                  {say(`status_${status}`)}
                  {reason && <small> {inWords(reason)}</small>}
                  {reply && (
                    <small>
                      {' '}
                      “<bdi>{reply}</bdi>”
                    </small>
                  )}
                </td>
                <td>{at ? `\u2066${utc(at)}\u2069` : '–'}</td>
                <td className={classes.text}>
                  <bdi>{text ?? (status === 'sent' || status === 'replied' ? say('own_opening') : '–')}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
