import { Badge, Button, Switch } from '@mantine/core';
import { IconDownload, IconUpload, IconUsersGroup } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { addressOf, type CallInput } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { useCreating } from '../../list/list-page.tsx';
import { FilterBar, TypedFilter } from '../../list/filter-bar.tsx';
import { hasNone, PagedList } from '../../list/paged-list.tsx';
import { useListState, type ListState } from '../../list/use-list-state.ts';
import { AddButton } from '../../parts/add-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NoValue } from '../../parts/no-value.tsx';
import { Tags } from '../../parts/tags.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SegmentSelect } from '../../parts/segment-select.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { EndUserDialog } from './end-user-form.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import type { EndUsersSearch } from './search.ts';
import { SegmentActs } from './segment-acts.tsx';
import { TagActs } from './tag-acts.tsx';
import { texts } from './texts.ts';
import classes from './end-users.module.css';

const route = getRouteApi('/inside/end-users');
const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

export function EndUsersPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useCreating();
  const list = useListState<EndUsersSearch>(['text', 'tag', 'attribute', 'blocked']);
  const { blocked, attribute, ...rest } = list.filters;
  const filters = {
    text: rest.text,
    tag: rest.tag,
    // A filter with a name but without a value is incomplete.
    attribute: attribute?.includes('=') ? attribute : undefined,
    blocked: blocked === 'true' || undefined,
  };
  const people = useRead(
    'listEndUsers',
    { params: { org_id }, query: { ...filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const columns = useColumns();
  const nameOf = usePersonName();
  const empty = hasNone({ list, read: people });
  return (
    <>
      <PageHeader
        title={say('end_users')}
        hint={say('hint')}
        actions={may && <Actions filters={filters} empty={empty} onAdd={() => setCreating(true)} />}
      />
      {!empty && <Filters list={list} filters={filters} />}
      <PagedList
        name="end_users"
        label={say('end_users')}
        list={list}
        read={people}
        faded={({ blocked }) => blocked}
        columns={columns}
        selecting={may ? { label: nameOf, acts: (chosen) => <TagActs chosen={chosen} /> } : undefined}
        icon={<IconUsersGroup size={26} />}
        none={
          <Empty
            icon={<IconUsersGroup size={26} />}
            title={say('empty_title')}
            action={
              may ? (
                <Button renderRoot={(props) => <Link to="/end-users/import" {...props} />}>{say('import')}</Button>
              ) : (
                <Button renderRoot={(props) => <Link to="/triggers" {...props} />}>{say('to_triggers')}</Button>
              )
            }
          >
            {say('empty_words')}
          </Empty>
        }
      />
      <EndUserDialog
        item={null}
        opened={may && isCreating}
        onClose={() => setCreating(false)}
        onMade={(id) => void navigate({ to: '/end-users/$end_user_id', params: { end_user_id: id } })}
      />
    </>
  );
}

type Exported = NonNullable<CallInput<'exportEndUsers'>['query']>;

/** In an empty list, the import of a file is the main button, below. */
function Actions({ filters, empty, onAdd }: { filters: Exported; empty: boolean; onAdd: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <>
      {!empty && (
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            component="a"
            href={addressOf('exportEndUsers', { params: { org_id }, query: filters })}
            download
          >
            {say('export_all')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconUpload size={16} />}
            renderRoot={(props) => <Link to="/end-users/import" {...props} />}
          >
            {say('import')}
          </Button>
        </>
      )}
      <AddButton secondary={empty} onClick={onAdd}>
        {say('add')}
      </AddButton>
    </>
  );
}

function useColumns(): Column<EndUserRecord>[] {
  const say = useTexts(texts);
  const nameOf = usePersonName();
  const sayCommon = useTexts(common);
  return [
    {
      id: 'name',
      label: say('name'),
      cell: (person) => (
        <div className={pageClasses.nameCell}>
          <Link
            to="/end-users/$end_user_id"
            params={{ end_user_id: person.id }}
            className={pageClasses.name}
            dir="auto"
          >
            {nameOf(person)}
          </Link>
          {person.blocked && <Badge color="red">{say('blocked')}</Badge>}
        </div>
      ),
    },
    {
      id: 'email',
      label: say('email'),
      cell: ({ email }) =>
        email ? (
          <span className={`ltr ${classes.long}`} title={email}>
            {email}
          </span>
        ) : (
          <NoValue>{say('none')}</NoValue>
        ),
    },
    {
      id: 'phone',
      label: say('phone'),
      cell: ({ phone }) => (phone ? <span className="ltr">{phone}</span> : <NoValue>{say('none')}</NoValue>),
    },
    {
      id: 'external_id',
      label: say('external_id'),
      cell: ({ external_id }) =>
        external_id ? (
          <code className={classes.long} title={external_id}>
            {external_id}
          </code>
        ) : (
          <NoValue>{say('none')}</NoValue>
        ),
    },
    {
      id: 'tags',
      label: say('tags'),
      cell: ({ tags }) => (tags.length === 0 ? <NoValue>{say('none')}</NoValue> : <Tags of={tags} most={3} />),
    },
    {
      id: 'last_seen',
      label: say('last_seen'),
      cell: ({ last_seen_at }) =>
        last_seen_at ? <Moment at={last_seen_at} /> : <NoValue>{sayCommon('never')}</NoValue>,
    },
    { id: 'created', label: say('created'), cell: (person) => <Moment at={person.created_at} /> },
  ];
}

type FiltersProps = { list: ListState<EndUsersSearch>; filters: Exported };

function Filters({ list, filters }: FiltersProps): ReactNode {
  const say = useTexts(texts);
  return (
    <FilterBar
      text={list.filters.text}
      onText={(text) => list.setFilters({ text })}
      placeholder={say('search')}
      filtered={list.filtered}
      onClear={list.clear}
    >
      <TypedFilter label={say('tag')} value={list.filters.tag} onChange={(tag) => list.setFilters({ tag })} />
      <TypedFilter
        label={say('attribute_filter')}
        placeholder="plan=gold"
        value={list.filters.attribute}
        onChange={(value) => list.setFilters({ attribute: value })}
      />
      <Switch
        label={say('blocked_only')}
        checked={list.filters.blocked === 'true'}
        onChange={(event) => list.setFilters({ blocked: event.currentTarget.checked ? 'true' : undefined })}
      />
      <SegmentSelect
        filters={filters}
        onChoose={({ text, tag, attribute, blocked }) =>
          list.setFilters({ text, tag, attribute, blocked: blocked ? 'true' : undefined })
        }
      />
      <SegmentActs filters={filters} onGone={list.clear} />
    </FilterBar>
  );
}
