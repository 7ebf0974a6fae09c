import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { number } from '../language/format.ts';
import { defineTexts, useTexts } from '../language/texts.tsx';
import classes from './bar-chart.module.css';
import smallTable from './small-table.module.css';

/** The numbers of one time interval, whose name is `label`. */
export type Bar = { label: string; first: number; second: number };
type Props = {
  title: string;
  bars: readonly Bar[];
  /** The names of the two numbers, and of the time column in the table. */
  names: readonly [string, string];
  time: string;
};

/** Shows two numbers over time as bars, and as a table for people who do not see the bars. */
export function BarChart({ title, bars, names, time }: Props): ReactNode {
  const say = useTexts(barTexts);
  if (bars.length === 0) return null;
  const most = Math.max(1, ...bars.map(({ first, second }) => Math.max(first, second)));
  const many = (value: number): string => number(say.language, value);
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {title}
      </Text>
      <div className={classes.bars} aria-hidden="true">
        {bars.map(({ label, first, second }) => (
          <span key={label} title={`${label}: ${names[0]} ${many(first)}, ${names[1]} ${many(second)}`}>
            <i data-what="first" style={{ height: `${(100 * first) / most}%` }} />
            <i data-what="second" style={{ height: `${(100 * second) / most}%` }} />
          </span>
        ))}
      </div>
      <div className={classes.axis} aria-hidden="true">
        <bdi>{bars[0]!.label}</bdi>
        <span className={classes.key}>
          <i data-what="first" /> {names[0]} <i data-what="second" /> {names[1]}
        </span>
        <bdi>{bars.at(-1)!.label}</bdi>
      </div>
      <details className={`${smallTable.small} ${classes.table}`}>
        <summary>{say('as_table')}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{time}</th>
              <th scope="col">{names[0]}</th>
              <th scope="col">{names[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ first, second }) => first + second > 0)
              .map(({ label, first, second }) => (
                <tr key={label}>
                  <th scope="row">
                    <bdi>{label}</bdi>
                  </th>
                  <td>{many(first)}</td>
                  <td>{many(second)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

export const barTexts = defineTexts({ as_table: 'As a table' }, { as_table: 'كجدول' });
