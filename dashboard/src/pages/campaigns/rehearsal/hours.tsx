import type { ReactNode } from 'react';
import type { CampaignRehearsal } from '../../../../../contract/dashboard/rehearsals.ts';
import { utc, utcDay } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { BarChart } from '../../../parts/bar-chart.tsx';
import { texts } from './texts.ts';

type Hour = CampaignRehearsal['by_hour'][number];

const HOUR_MS = 3_600_000;
/** With more bars, the bars would be too thin, so each bar is a day. */
const MOST_HOURS = 96;
/** The chart shows at most a year and a day. */
const MOST_BARS = 400;

/** Shows messages and replies over time. */
export function Hours({ hours }: { hours: readonly Hour[] }): ReactNode {
  const say = useTexts(texts);
  if (hours.length === 0) return null;
  const span = (Date.parse(hours.at(-1)!.at) - Date.parse(hours[0]!.at)) / HOUR_MS + 1;
  const isByDay = span > MOST_HOURS;
  const bars = filled(hours, isByDay ? 24 * HOUR_MS : HOUR_MS);
  const timeOf = (at: string): string => (isByDay ? utcDay(say.language, at) : `\u2066${utc(at).slice(0, 16)}\u2069`);
  return (
    <BarChart
      title={say(isByDay ? 'by_day' : 'by_hour')}
      bars={bars.map(({ at, sent, replies }) => ({ label: timeOf(at), first: sent, second: replies }))}
      names={[say('sent'), say('answered')]}
      time={say('time')}
    />
  );
}

/** Returns one bar for each hour or day, including empty bars. */
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
