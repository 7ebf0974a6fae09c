import { Button, Group, Select, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EventDelivery } from '../../../../contract/dashboard/webhooks.ts';
import { EVENT_DELIVERY_STATES } from '../../../../contract/event-types.ts';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { BulkAct } from '../../list/bulk-act.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import barClasses from '../../list/filter-bar.module.css';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Moment, Until } from '../moment.tsx';
import { onceOpened } from '../once-opened.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { DELIVERED_TYPES, type DeliverySearch } from './search.ts';
import { DeliveryState } from './delivery-state.tsx';
import { texts } from './texts.ts';
import classes from './event-deliveries.module.css';

const PAGE = 20;
const LOOK_AGAIN_MS = 3_000;

type Filters = Pick<DeliverySearch, 'endpoint_id' | 'type' | 'state'>;

const DeliveryDrawer = onceOpened(
  async () => (await import('./delivery-drawer.tsx')).DeliveryDrawer,
  ({ place }) => place !== undefined,
  { place: undefined },
);

export const deliveryPlace = ({ event_id, endpoint_id }: Pick<EventDelivery, 'event_id' | 'endpoint_id'>): string =>
  `${event_id}.${endpoint_id}`;

/** Lists deliveries to one endpoint, or to all endpoints of the organization with a filter. */
export function Deliveries({ endpointId }: { endpointId?: string }): ReactNode {
  const org_id = useOrganization().id;
  const list = useListState<Filters>(['endpoint_id', 'type', 'state']);
  const { delivery } = useLocation().search as DeliverySearch;
  const navigate = useNavigate();
  const open = (place: string | undefined): void =>
    void navigate({
      to: '.',
      search: (before: DeliverySearch) => ({ ...before, delivery: place }),
      resetScroll: false,
    });
  const columns = useColumns(endpointId === undefined, open);
  const say = useTexts(texts);
  const may = useMay('admin');
  const deliveries = useRead(
    'listEventDeliveries',
    {
      params: { org_id },
      query: { ...list.filters, ...(endpointId && { endpoint_id: endpointId }), cursor: list.cursor, limit: PAGE },
    },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  return (
    <>
      <FilterRow list={list} withEndpoint={endpointId === undefined} />
      <PagedList
        name="deliveries"
        label={say('deliveries')}
        list={list}
        read={deliveries}
        keyOf={deliveryPlace}
        columns={columns}
        icon={<IconWebhook size={26} />}
        none={<NothingSent everywhere={endpointId === undefined} />}
        selecting={may ? { label: ({ type }) => type, acts: (chosen) => <ResendMany items={chosen} /> } : undefined}
      />
      <DeliveryDrawer place={delivery} onClose={() => open(undefined)} />
    </>
  );
}

/** Resends all events that an unavailable endpoint missed. */
function ResendMany({ items }: { items: readonly EventDelivery[] }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <BulkAct
      items={items}
      act={say('resend_many')}
      title={say('resend_many_title')}
      run={({ event_id, endpoint_id }) => call('resendEventDelivery', { params: { org_id, event_id, endpoint_id } })}
      refresh={['listEventDeliveries', 'readEventDelivery']}
      danger={false}
    >
      {say('resend_many_words')}
    </BulkAct>
  );
}

function NothingSent({ everywhere }: { everywhere: boolean }): ReactNode {
  const say = useTexts(texts);
  return (
    <Empty
      icon={<IconWebhook size={26} />}
      title={say('no_deliveries')}
      action={
        everywhere && (
          <Button renderRoot={(props) => <Link to="/settings/integrations/webhooks" {...props} />}>
            {say('to_webhooks')}
          </Button>
        )
      }
    >
      {say(everywhere ? 'no_endpoints_words' : 'no_deliveries_words')}
    </Empty>
  );
}

function FilterRow({
  list,
  withEndpoint,
}: {
  list: ReturnType<typeof useListState<Filters>>;
  withEndpoint: boolean;
}): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const endpoints = useRead('listWebhooks', { params: { org_id } }, { enabled: withEndpoint, staleTime: 30_000 });
  const { endpoint_id, type, state } = list.filters;
  return (
    <Group role="search" gap="xs" mb="md" aria-label={sayCommon('search')} className={barClasses.bar}>
      {withEndpoint && (
        <Select
          aria-label={say('endpoint')}
          placeholder={say('any_endpoint')}
          clearable
          searchable
          w={230}
          value={endpoint_id ?? null}
          data={(endpoints.data?.data ?? []).map((one) => ({ value: one.id, label: one.description || one.url }))}
          onChange={(value) => list.setFilters({ endpoint_id: value ?? undefined })}
        />
      )}
      <Select
        aria-label={say('event')}
        placeholder={say('any_event')}
        clearable
        searchable
        w={230}
        classNames={{ input: type ? 'ltr' : undefined, option: 'ltr' }}
        value={type ?? null}
        data={[...DELIVERED_TYPES]}
        onChange={(value) => list.setFilters({ type: DELIVERED_TYPES.find((one) => one === value) })}
      />
      <Select
        aria-label={say('state')}
        placeholder={say('any_state')}
        clearable
        w={150}
        value={state ?? null}
        data={EVENT_DELIVERY_STATES.map((value) => ({ value, label: say(`state_${value}`) }))}
        onChange={(value) => list.setFilters({ state: EVENT_DELIVERY_STATES.find((one) => one === value) })}
      />
      {list.filtered && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={list.clear}>
          {sayCommon('clear_filters')}
        </Button>
      )}
    </Group>
  );
}

function useColumns(withEndpoint: boolean, onOpen: (place: string) => void): Column<EventDelivery>[] {
  const say = useTexts(texts);
  const all: Column<EventDelivery>[] = [
    {
      id: 'event',
      label: say('event'),
      cell: (item) => (
        <button type="button" className={classes.open} onClick={() => onOpen(deliveryPlace(item))}>
          <span className={classes.code}>{item.type}</span>
        </button>
      ),
      width: '210px',
    },
    { id: 'to', label: say('to'), cell: ({ endpoint_url }) => <span className={classes.code}>{endpoint_url}</span> },
    {
      id: 'state',
      label: say('state'),
      cell: ({ state, next_attempt_at, attempts }) => (
        <div className={classes.stateCell}>
          <DeliveryState state={state} />
          {state === 'pending' && attempts > 0 && next_attempt_at && (
            <span className={classes.soft}>{say.rich('next_attempt', { when: <Until at={next_attempt_at} /> })}</span>
          )}
        </div>
      ),
      width: '200px',
    },
    {
      id: 'answer',
      label: say('answer'),
      cell: ({ last_attempt }) => (
        <Text size="sm" component="span">
          {last_attempt === null ? '–' : (last_attempt.status ?? say('no_answer'))}
        </Text>
      ),
      width: '110px',
    },
    { id: 'attempts', label: say('attempts'), cell: ({ attempts }) => attempts, width: '90px' },
    { id: 'when', label: say('when'), cell: ({ created_at }) => <Moment at={created_at} />, width: '140px' },
  ];
  return all.filter(({ id }) => withEndpoint || id !== 'to');
}
