import { SegmentedControl, Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Numbers } from '../../../../contract/dashboard/statistics.ts';
import { useRead } from '../../api/queries.ts';
import { clock, day } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { type Bar, BarChart } from '../../parts/bar-chart.tsx';
import { Card } from '../../parts/card.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { ChangedTools } from './changed-tools.tsx';
import { Channels } from './channels.tsx';
import { type HomeSearch, PERIODS, type Period } from './search.ts';
import { Tiles } from './tiles.tsx';
import { texts } from './statistics-texts.ts';

const route = getRouteApi('/inside/');

const HOUR_MS = 3_600_000;
const LOOK_AGAIN_MS = 60_000;
/** The interval of reads while days are still being counted. */
const SOON_MS = 2_000;

/** Shows the numbers of a period, compared with the previous period. */
export function StatisticsPart(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { period = '24h' }: HomeSearch = route.useSearch();
  const navigate = route.useNavigate();
  const numbers = useRead(
    'readStatistics',
    { params: { org_id }, query: { period } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const counting = numbers.data?.complete === false;
  useRead('readStatistics', { params: { org_id }, query: { period } }, { every: SOON_MS, enabled: counting });
  const choose = (value: string): void =>
    void navigate({ to: '.', search: { period: value as Period }, replace: true, resetScroll: false });
  return (
    <Card
      title={say('numbers')}
      description={
        counting ? <span role="status">{say('counting')}</span> : say('against', { period: say(`before_${period}`) })
      }
      aside={
        <SegmentedControl
          size="xs"
          aria-label={say('period')}
          value={period}
          onChange={choose}
          data={PERIODS.map((value) => ({ value, label: say(`period_${value}`) }))}
        />
      }
    >
      {numbers.data ? (
        <>
          <Tiles numbers={numbers.data} />
          <Over numbers={numbers.data} />
          <Channels />
          <ChangedTools />
        </>
      ) : numbers.error ? (
        <ProblemAlert problem={numbers.error} onRetry={() => void numbers.refetch()} />
      ) : (
        <Skeleton h={260} />
      )}
    </Card>
  );
}

/** Shows conversations and hand-offs over time, by hour, or by day in the reader's time zone. */
function Over({ numbers }: { numbers: Numbers }): ReactNode {
  const say = useTexts(texts);
  const isByHour = numbers.period === '24h';
  const label = (at: number): string =>
    isByHour ? `${day(say.language, at)} ${clock(say.language, at)}` : day(say.language, at);
  const bars = new Map<string, Bar>();
  for (let at = Date.parse(numbers.from); at < Date.parse(numbers.to); at += HOUR_MS)
    bars.set(label(at), { label: label(at), first: 0, second: 0 });
  for (const { at, conversations, handed_off } of numbers.hours) {
    const bar = bars.get(label(Date.parse(at)));
    if (!bar) continue;
    bar.first += conversations;
    bar.second += handed_off;
  }
  return (
    <BarChart
      title={say(isByHour ? 'over_hours' : 'over_days')}
      bars={[...bars.values()]}
      names={[say('conversations'), say('hand_offs')]}
      time={say('time')}
    />
  );
}
