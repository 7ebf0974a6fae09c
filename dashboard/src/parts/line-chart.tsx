import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { number } from '../language/format.ts';
import { useTexts } from '../language/texts.tsx';
import { barTexts } from './bar-chart.tsx';
import barClasses from './bar-chart.module.css';
import classes from './line-chart.module.css';
import smallTable from './small-table.module.css';

export type LinePoint = { label: string; values: readonly number[] };
type Props = {
  title: string;
  points: readonly LinePoint[];
  /** The names of the values, and of the time column in the table. At most five values have a color. */
  names: readonly string[];
  time: string;
};

const [WIDTH, HEIGHT] = [600, 140];

/** Shows a few numbers over time as lines, and as a table for people who do not see the lines. */
export function LineChart({ title, points, names, time }: Props): ReactNode {
  const say = useTexts(barTexts);
  if (points.length === 0) return null;
  const most = Math.max(1, ...points.flatMap(({ values }) => values));
  const x = (index: number): number => (points.length === 1 ? WIDTH / 2 : (WIDTH * index) / (points.length - 1));
  const y = (value: number): number => HEIGHT - (HEIGHT * value) / most;
  const path = (line: number): string =>
    points.map(({ values }, index) => `${x(index).toFixed(1)},${y(values[line]!).toFixed(1)}`).join(' ');
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {title}
      </Text>
      <div className={classes.most} aria-hidden="true">
        {number(say.language, most)}
      </div>
      <div className={classes.plot} aria-hidden="true">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          {names.map((name, line) =>
            points.length === 1 ? (
              // A line with one point would have no length.
              <line
                key={name}
                data-line={line}
                x1={0}
                x2={WIDTH}
                y1={y(points[0]!.values[line]!)}
                y2={y(points[0]!.values[line]!)}
              />
            ) : (
              <polyline key={name} data-line={line} points={path(line)} />
            ),
          )}
        </svg>
      </div>
      <div className={barClasses.axis} aria-hidden="true">
        <bdi>{points[0]!.label}</bdi>
        <bdi>{points.length > 1 && points.at(-1)!.label}</bdi>
      </div>
      <ul className={classes.key} aria-hidden="true">
        {names.map((name, line) => (
          <li key={name}>
            <i data-line={line} /> {name}
          </li>
        ))}
      </ul>
      <LineTable points={points} names={names} time={time} />
    </div>
  );
}

function LineTable({ points, names, time }: Omit<Props, 'title'>): ReactNode {
  const say = useTexts(barTexts);
  return (
    <details className={`${smallTable.small} ${barClasses.table}`}>
      <summary>{say('as_table')}</summary>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={say('as_table')}>
        <table>
          <thead>
            <tr>
              {[time, ...names].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points
              .filter(({ values }) => values.some((value) => value > 0))
              .map(({ label, values }) => (
                <tr key={label}>
                  <th scope="row">
                    <bdi>{label}</bdi>
                  </th>
                  {values.map((value, line) => (
                    <td key={names[line]}>{number(say.language, value)}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
