import { Alert, Button, Skeleton } from '@mantine/core';
import { IconAlertCircle, IconChartBar, IconDownload } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Analytics } from '../../../../contract/dashboard/analytics.ts';
import { addressOf, type Problem } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { utcDay } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { Card } from '../../parts/card.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { AnalyticsFilterBar } from './filter-bar.tsx';
import { Figures } from './figures.tsx';
import { GroupsCard } from './groups-card.tsx';
import { OverDays } from './over-days.tsx';
import { type AnalyticsFilters, type AnalyticsSearch, MAX_DAYS } from './search.ts';
import { texts } from './texts.ts';

const route = getRouteApi('/inside/analytics');

const LOOK_AGAIN_MS = 60_000;
/** The interval of reads while days are still being counted. */
const SOON_MS = 2_000;

/** The page shows the figures of conversations. The URL contains the period, the filters and the groups. */
export function AnalyticsPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const search: AnalyticsSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<AnalyticsSearch>): void =>
    void navigate({
      to: '.',
      search: (now: AnalyticsSearch) => ({ ...now, ...next }),
      replace: true,
      resetScroll: false,
    });
  const clear = (): void => change(NO_FILTERS);
  const input = { params: { org_id }, query: search };
  const read = useRead('readAnalytics', input, { every: LOOK_AGAIN_MS, keep: true });
  const isCounting = read.data?.complete === false;
  useRead('readAnalytics', input, { every: SOON_MS, enabled: isCounting });
  const isFiltered = Object.keys(NO_FILTERS).some((name) => search[name as keyof AnalyticsFilters] !== undefined);
  const problem = read.error;
  return (
    <>
      <PageHeader
        title={say('analytics')}
        hint={say('hint')}
        actions={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            component="a"
            href={addressOf('exportAnalytics', { params: { org_id }, query: search })}
            download
          >
            {say('export')}
          </Button>
        }
      />
      <AnalyticsFilterBar search={search} read={read.data} onChange={change} onClear={isFiltered ? clear : null} />
      {problem &&
        (problem.code === 'validation_failed' ? (
          <Alert color="red" icon={<IconAlertCircle size={18} />} role="alert">
            {say('wrong_period', { count: String(MAX_DAYS) })}
          </Alert>
        ) : (
          <ProblemAlert problem={problem} onRetry={() => void read.refetch()} />
        ))}
      {read.data && !(problem && read.isPlaceholderData) ? (
        read.data.total.conversations + read.data.before.conversations > 0 || isCounting ? (
          <Found read={read} found={read.data} search={search} isCounting={isCounting} onChange={change} />
        ) : isFiltered ? (
          <NothingFound icon={<IconChartBar size={26} />} onClear={clear} />
        ) : (
          <Empty
            icon={<IconChartBar size={26} />}
            title={say('empty')}
            action={<Button renderRoot={(props) => <Link to="/triggers" {...props} />}>{say('to_triggers')}</Button>}
          >
            {say('empty_words')}
          </Empty>
        )
      ) : (
        !problem && <Skeleton h={420} />
      )}
    </>
  );
}

const NO_FILTERS = {
  agent_id: undefined,
  version: undefined,
  channel_id: undefined,
  member_id: undefined,
  trigger_id: undefined,
  campaign_id: undefined,
} satisfies { [K in keyof Required<AnalyticsFilters>]: undefined };

type FoundProps = {
  read: UseQueryResult<Analytics, Problem>;
  found: Analytics;
  search: AnalyticsSearch;
  isCounting: boolean;
  onChange: (next: Partial<AnalyticsSearch>) => void;
};

function Found({ read, found, search, isCounting, onChange }: FoundProps): ReactNode {
  const say = useTexts(texts);
  const { since, until, time_zone: zone, days } = found;
  return (
    <>
      <Card
        title={say('conversations')}
        description={
          isCounting ? (
            <span role="status">{say('counting')}</span>
          ) : (
            <>
              {say('within', { since: utcDay(say.language, since), until: utcDay(say.language, until), zone })}{' '}
              {say('against', { count: days.length })}
            </>
          )
        }
      >
        <Figures found={found} filters={filtersOf(search)} />
        <OverDays days={days} />
      </Card>
      <GroupsCard read={read} found={found} search={search} onBy={(by) => onChange({ by })} />
    </>
  );
}

/**
 * Returns the filters that the list of conversations also has, which are all parameters except the period and the
 * groups.
 */
const filtersOf = ({ by: _by, days: _days, since: _since, until: _until, ...filters }: AnalyticsSearch) => filters;
