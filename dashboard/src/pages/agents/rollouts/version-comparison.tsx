import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Estimate, VersionResult } from '../../../../../contract/dashboard/rollouts.ts';
import type { Problem } from '../../../api/client.ts';
import { useRead } from '../../../api/queries.ts';
import { money, number, percent } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { type Column, DataList } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { NoValue } from '../../../parts/no-value.tsx';
import { useOrganization } from '../../../session/session.ts';
import { rolloutTexts } from './rollout-texts.ts';

const LOOK_AGAIN_MS = 15_000;
/** At most this many versions fit side by side, and the newest are shown. */
const SHOWN = 4;
const MEASURES = [
  'runs',
  'completed',
  'handed_off',
  'unanswered',
  'failed',
  'result_complete',
  'ratings',
  'answers',
  'cost',
] as const;
type Measure = (typeof MEASURES)[number];

/** The outcomes of the runs of each version, with a line for each measure and a column for each version. */
export function VersionComparisonCard({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(rolloutTexts);
  const org_id = useOrganization().id;
  const read = useRead('compareVersions', { params: { org_id, agent_id: agentId } }, { every: LOOK_AGAIN_MS });
  const versions = (read.data?.data ?? []).slice(0, SHOWN);
  const lines = read.data && { data: versions.length === 0 ? [] : [...MEASURES] };
  const columns: Column<Measure>[] = [
    { id: 'measure', label: say('measure'), hidden: true, cell: (measure) => say(measure) },
    ...versions.map((version) => ({
      id: String(version.version),
      label: say('version_number', { number: version.version }),
      cell: (measure: Measure) => <Measured of={version} measure={measure} />,
    })),
  ];
  return (
    <Card
      title={say('compare')}
      description={
        read.data &&
        say.rich(read.data.rollout ? 'compare_rollout' : 'compare_recent', { when: <Moment at={read.data.since} /> })
      }
    >
      <DataList
        label={say('compare')}
        read={{ ...read, data: lines } as UseQueryResult<{ data: Measure[] }, Problem>}
        columns={columns}
        keyOf={(measure) => measure}
        empty={
          <Text size="sm" c="dimmed">
            {say('compare_empty')}
          </Text>
        }
      />
    </Card>
  );
}

function Measured({ of, measure }: { of: VersionResult; measure: Measure }): ReactNode {
  const say = useTexts(rolloutTexts);
  if (measure === 'runs') return number(say.language, of.runs);
  if (measure === 'ratings') return <Ratings of={of.ratings} />;
  if (measure === 'answers') return <Answers of={of.answers} />;
  if (measure === 'cost') return <Costs of={of.cost} />;
  const part = of[measure]?.part;
  if (!part) return <NoValue>–</NoValue>;
  return (
    <>
      {percent(say.language, part.value)}
      <Interval of={part} text={(value) => percent(say.language, value)} />
    </>
  );
}

function Ratings({ of: { count, average } }: { of: VersionResult['ratings'] }): ReactNode {
  const say = useTexts(rolloutTexts);
  if (average === null) return <NoValue>–</NoValue>;
  return (
    <>
      {number(say.language, Math.round(average * 10) / 10)}
      <Text size="xs" c="dimmed" component="div">
        {say('ratings_count', { count: number(say.language, count) })}
      </Text>
    </>
  );
}

function Answers({ of: { good, bad } }: { of: VersionResult['answers'] }): ReactNode {
  const say = useTexts(rolloutTexts);
  if (good + bad === 0) return <NoValue>–</NoValue>;
  return say('answers_count', { good: number(say.language, good), bad: number(say.language, bad) });
}

function Costs({ of }: { of: VersionResult['cost'] }): ReactNode {
  const say = useTexts(rolloutTexts);
  if (of.length === 0) return <NoValue>–</NoValue>;
  return of.map(({ currency, per_run: { value, low, high } }) => (
    <div key={currency}>
      <bdi>{money(say.language, value, currency)}</bdi>
      {low !== null && high !== null && (
        <Interval of={{ low, high }} text={(amount) => money(say.language, amount, currency)} />
      )}
    </div>
  ));
}

type IntervalProps = { of: Pick<Estimate, 'low' | 'high'>; text: (value: number) => string };

function Interval({ of, text }: IntervalProps): ReactNode {
  const say = useTexts(rolloutTexts);
  return (
    <Text size="xs" c="dimmed" component="div">
      <bdi>{say('between', { low: text(of.low), high: text(of.high) })}</bdi>
    </Text>
  );
}
