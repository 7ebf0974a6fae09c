import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignRehearsal } from '../../../../../contract/dashboard/rehearsals.ts';
import { number, utc, utcDay } from '../../../language/format.ts';
import { useWords } from '../../../language/words.tsx';
import { words } from './words.ts';
import classes from './rehearsal.module.css';

type Hour = CampaignRehearsal['by_hour'][number];

const HOUR_MS = 3_600_000;
/** More bars than this are too thin: then a bar is a day. */
const MOST_HOURS = 96;
/** Of days: a year and a day. */
const MOST_BARS = 400;

/** Messages and replies over time, as bars; the same as a table, for those who do not see them. */
export function Hours({ hours }: { hours: readonly Hour[] }): ReactNode {
  const say = useWords(words);
  if (hours.length === 0) return null;
  const span = (Date.parse(hours.at(-1)!.at) - Date.parse(hours[0]!.at)) / HOUR_MS + 1;
  const isByDay = span > MOST_HOURS;
  const bars = filled(hours, isByDay ? 24 * HOUR_MS : HOUR_MS);
  const most = Math.max(...bars.map(({ sent, replies }) => Math.max(sent, replies)));
  const title = say(isByDay ? 'by_day' : 'by_hour');
  const timeOf = (at: string): string => (isByDay ? utcDay(say.language, at) : `\u2066${utc(at).slice(0, 16)}\u2069`);
  const many = (value: number): string => number(say.language, value);
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {title}
      </Text>
      <div className={classes.bars} aria-hidden="true">
        {bars.map(({ at, sent, replies }) => (
          <span key={at} title={`${timeOf(at)}: ${say('sent')} ${many(sent)}, ${say('answered')} ${many(replies)}`}>
            <i data-what="sent" style={{ height: `${(100 * sent) / most}%` }} />
            <i data-what="replies" style={{ height: `${(100 * replies) / most}%` }} />
          </span>
        ))}
      </div>
      <div className={classes.axis} aria-hidden="true">
        <bdi>{timeOf(bars[0]!.at)}</bdi>
        <span className={classes.key}>
          <i data-what="sent" /> {say('sent')} <i data-what="replies" /> {say('answered')}
        </span>
        <bdi>{timeOf(bars.at(-1)!.at)}</bdi>
      </div>
      <details className={classes.table}>
        <summary>{say('as_table')}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{say('time')}</th>
              <th scope="col">{say('sent')}</th>
              <th scope="col">{say('answered')}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ sent, replies }) => sent + replies > 0)
              .map(({ at, sent, replies }) => (
                <tr key={at}>
                  <th scope="row">
                    <bdi>{timeOf(at)}</bdi>
                  </th>
                  <td>{many(sent)}</td>
                  <td>{many(replies)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

/** One bar for each hour or day, also where nothing happens. */
function filled(hours: readonly Hour[], size: number): Hour[] {
  const sums = new Map<number, Hour>();
  for (const { at, sent, replies } of hours) {
    const begins = Math.floor(Date.parse(at) / size) * size;
    const sum = sums.get(begins) ?? { at: new Date(begins).toISOString(), sent: 0, replies: 0 };
    sums.set(begins, { ...sum, sent: sum.sent + sent, replies: sum.replies + replies });
  }
  const [first, last] = [Math.min(...sums.keys()), Math.max(...sums.keys())];
  const bars: Hour[] = [];
  for (let begins = first; begins <= last && bars.length < MOST_BARS; begins += size)
    bars.push(sums.get(begins) ?? { at: new Date(begins).toISOString(), sent: 0, replies: 0 });
  return bars;
}
