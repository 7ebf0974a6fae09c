import type { ReactNode } from 'react';
import type { Analytics } from '../../../../contract/dashboard/analytics.ts';
import { utcDay } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { LineChart } from '../../parts/line-chart.tsx';
import { texts } from './texts.ts';

/** The chart shows every day of the period. Days are named by the organization's time zone. */
export function OverDays({ days }: { days: Analytics['days'] }): ReactNode {
  const say = useTexts(texts);
  return (
    <LineChart
      title={say('over_days')}
      points={days.map(({ day, conversations, answered, handed_over, unanswered }) => ({
        label: utcDay(say.language, day),
        values: [conversations, answered, handed_over, unanswered],
      }))}
      names={[say('conversations'), say('answered'), say('handed_over'), say('unanswered')]}
      time={say('time')}
    />
  );
}
