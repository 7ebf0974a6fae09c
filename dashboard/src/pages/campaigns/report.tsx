import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useRead } from '../../api/queries.ts';
import { clock, day, utc, utcDay } from '../../language/format.ts';
import { defineTexts, useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { LineChart } from '../../parts/line-chart.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import classes from './campaigns.module.css';

const LOOK_AGAIN_MS = 30_000;

/** A copy of the contract's list, because an import would also load schemas. */
const STEPS = ['sent', 'delivered', 'read', 'answered', 'left'] as const;

/** Shows the progress of people over time, in the reader's time zone. */
export function Report({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const report = useRead(
    'readCampaignReport',
    { params: { org_id, campaign_id: item.id }, query: { time_zone } },
    { every: LOOK_AGAIN_MS },
  );
  const { data } = report;
  if (!data && !report.error) return null;
  if (data?.points.length === 0) return null;
  const label = (at: string): string => {
    // The server responds in UTC if it does not know the zone.
    if (data!.time_zone !== time_zone) return data!.by === 'day' ? utcDay(say.language, at) : utc(at).slice(0, 16);
    return data!.by === 'day' ? day(say.language, at) : `${day(say.language, at)} ${clock(say.language, at)}`;
  };
  return (
    <div className={classes.section}>
      <Card title={say('report')} description={say('report_hint')}>
        {data ? (
          <LineChart
            title={say(`by_${data.by}`)}
            time={say('time')}
            names={STEPS.map((step) => say(step))}
            points={data.points.map((point) => ({ label: label(point.at), values: STEPS.map((step) => point[step]) }))}
          />
        ) : (
          <ProblemAlert problem={report.error} onRetry={() => void report.refetch()} />
        )}
      </Card>
    </div>
  );
}

const texts = defineTexts(
  {
    report: 'Over time',
    report_hint:
      'Since the first message. A person who answers has received it; those who left opted out in the conversation.',
    by_hour: 'People by hour, in your time zone',
    by_day: 'People by day, in your time zone',
    time: 'Time',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    answered: 'Answered',
    left: 'Left',
  },
  {
    report: 'عبر الزمن',
    report_hint: 'منذ أول رسالة. من يجيب فقد وصلته الرسالة، ومن غادر فقد رفض الرسائل في المحادثة.',
    by_hour: 'الأشخاص حسب الساعة، بتوقيتك',
    by_day: 'الأشخاص حسب اليوم، بتوقيتك',
    time: 'الوقت',
    sent: 'أُرسلت',
    delivered: 'وصلت',
    read: 'قُرئت',
    answered: 'أجابوا',
    left: 'غادروا',
  },
);
