import { Button, Select, Text } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestRecord } from '../../../../contract/dashboard/activity.ts';
import { useRead } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { LiveState } from '../../parts/live-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { onceOpened } from '../../parts/once-opened.tsx';
import { useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { MomentFilter } from './moment-filter.tsx';
import { useOpenRequest, useRequestKeys } from './requests.ts';
import { isRequestId, OUTCOMES, type ActivitySearch, type RequestFilters } from './search.ts';
import { pathOfRequest } from './request-curl.ts';
import { StatusBadge } from './status-badge.tsx';
import { texts } from './request-texts.ts';
import classes from './activity.module.css';

const PAGE = 20;
const LOOK_AGAIN_MS = 3_000;

const RequestDrawer = onceOpened(
  async () => (await import('./request-drawer.tsx')).RequestDrawer,
  ({ id }) => id !== undefined,
  { id: undefined },
);

/** The tab lists the single requests of all keys. */
export function RequestsTab(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const list = useListState<RequestFilters>(['id', 'key_id', 'call', 'outcome', 'since', 'until']);
  const { opened, close } = useOpenRequest();
  const columns = useColumns();
  const { id, ...filters } = list.filters;
  const isFindable = id === undefined || isRequestId(id);
  const requests = useRead(
    'listRequests',
    { params: { org_id }, query: { ...filters, ...(isFindable && { id }), cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'requests', keep: true },
  );
  const nothing = <NothingFound icon={<IconArrowsExchange size={26} />} onClear={list.clear} />;
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say('hint')} <LiveState failed={requests.isError} every={LOOK_AGAIN_MS} />
      </Text>
      <Filters list={list} />
      {isFindable ? (
        <PagedList
          name="requests"
          label={say('requests')}
          list={list}
          read={requests}
          columns={columns}
          icon={<IconArrowsExchange size={26} />}
          none={
            <Empty
              icon={<IconArrowsExchange size={26} />}
              title={say('empty_title')}
              action={
                <Button renderRoot={(props) => <Link to="/settings/integrations/api-keys" {...props} />}>
                  {say('to_keys')}
                </Button>
              }
            >
              {say('empty_words')}
            </Empty>
          }
        />
      ) : (
        nothing
      )}
      <RequestDrawer id={opened} listed={requests.data?.data.find((item) => item.id === opened)} onClose={close} />
    </>
  );
}

function Filters({ list }: { list: ReturnType<typeof useListState<RequestFilters>> }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const keys = useRequestKeys();
  const calls = useRead('listRequestCalls', { params: { org_id } }, { staleTime: 30_000 });
  const { key_id, call, outcome, since, until } = list.filters;
  const known = (calls.data?.data ?? []).map((item) => item.call);
  return (
    <FilterBar
      text={list.filters.id}
      onText={(id) => list.setFilters({ id: id?.slice(0, 64) })}
      placeholder={say('by_id')}
      filtered={list.filtered}
      onClear={list.clear}
    >
      <Select
        aria-label={say('key')}
        placeholder={say('any_key')}
        clearable
        searchable
        w={190}
        value={key_id ?? null}
        data={keys.options(key_id)}
        onChange={(value) => list.setFilters({ key_id: value ?? undefined })}
      />
      <Select
        aria-label={say('request')}
        placeholder={say('any_call')}
        clearable
        searchable
        classNames={{ input: call ? 'ltr' : undefined, option: 'ltr' }}
        comboboxProps={{ width: 'max-content' }}
        w={230}
        value={call ?? null}
        data={call && !known.includes(call) ? [call, ...known] : known}
        onChange={(value) => list.setFilters({ call: value ?? undefined })}
      />
      <Select
        aria-label={say('outcome')}
        placeholder={say('any_outcome')}
        clearable
        w={190}
        value={outcome ?? null}
        data={OUTCOMES.map((value) => ({ value, label: say(`outcome_${value}`) }))}
        onChange={(value) => list.setFilters({ outcome: value ?? undefined })}
      />
      <MomentFilter label={say('since')} at={since} onChange={(at) => list.setFilters({ since: at })} />
      <MomentFilter label={say('until')} at={until} onChange={(at) => list.setFilters({ until: at })} />
    </FilterBar>
  );
}

function useColumns(): Column<RequestRecord>[] {
  const say = useTexts(texts);
  const keys = useRequestKeys();
  return [
    { id: 'request', label: say('request'), cell: (item) => <OpenLink item={item} /> },
    { id: 'status', label: say('status'), cell: ({ status }) => <StatusBadge status={status} />, width: '90px' },
    {
      id: 'problem',
      label: say('problem'),
      cell: ({ code }) => (code ? <code className={classes.id}>{code}</code> : <span aria-hidden="true">–</span>),
    },
    {
      id: 'key',
      label: say('key'),
      cell: ({ key_id }) => (
        <Link to="/settings/integrations/api-keys/$key_id" params={{ key_id }} className={pageClasses.link}>
          <bdi>{keys.labelOf(key_id) ?? say('gone_key')}</bdi>
        </Link>
      ),
    },
    {
      id: 'took',
      label: say('took'),
      cell: ({ ms }) => say('ms', { count: number(say.language, ms) }),
      align: 'end',
      width: '100px',
    },
    { id: 'when', label: say('when'), cell: ({ created_at }) => <Moment at={created_at} />, width: '130px' },
  ];
}

function OpenLink({ item }: { item: RequestRecord }): ReactNode {
  const say = useTexts(texts);
  const { id, method } = item;
  const path = pathOfRequest(item);
  return (
    <Link
      to="/activity"
      search={(before: ActivitySearch) => ({ ...before, request: id })}
      resetScroll={false}
      className={pageClasses.link}
      aria-label={say('open', { request: `${method} ${path}` })}
    >
      <code className={classes.id}>
        <b>{method}</b> {path}
      </code>
    </Link>
  );
}
