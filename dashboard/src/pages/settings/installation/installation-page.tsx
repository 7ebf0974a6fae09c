import { Alert, Badge, Button, Text } from '@mantine/core';
import { IconBuilding, IconEye } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { OrganizationRecord } from '../../../../../contract/dashboard/organizations.ts';
import type { Plan } from '../../../../../contract/permissions.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { sizeTexts, utcTime } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Empty } from '../../../list/empty.tsx';
import type { Column } from '../../../list/data-list.tsx';
import { FilterBar } from '../../../list/filter-bar.tsx';
import { PagedList } from '../../../list/paged-list.tsx';
import { useListState } from '../../../list/use-list-state.ts';
import { AddButton } from '../../../parts/add-button.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { IdToCopy } from '../../../parts/id-code.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useSession } from '../../../session/session.ts';
import { MakeOrganizationDialog } from './make-organization-dialog.tsx';
import type { InstallationSearch } from './search.ts';
import { texts } from './texts.ts';

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

/** The page shows the operator of the installation every organization, with its plan. */
export function InstallationPage(): ReactNode {
  const say = useTexts(texts);
  const { operator } = useSession();
  const [making, setMaking] = useState(false);
  const crumbs = [{ label: say('settings'), to: '/settings' as const }];
  if (!operator)
    return (
      <>
        <PageHeader title={say('title')} crumbs={crumbs} />
        <Alert color="gray" icon={<IconEye size={18} />}>
          {say('operators_only')}
        </Alert>
      </>
    );
  return (
    <>
      <PageHeader
        title={say('title')}
        crumbs={crumbs}
        hint={say('hint')}
        actions={<AddButton onClick={() => setMaking(true)}>{say('make')}</AddButton>}
      />
      <Organizations />
      <MakeOrganizationDialog opened={making} onClose={() => setMaking(false)} />
    </>
  );
}

function Organizations(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const [leaving, setLeaving] = useState<OrganizationRecord | null>(null);
  const list = useListState<Pick<InstallationSearch, 'text'>>(['text']);
  const organizations = useRead(
    'listOrganizations',
    { query: { all: true, ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const setPlan = useAct('setPlan', { refresh: ['listOrganizations', 'readSession', 'listKeys'] });
  const change = ({ id, name }: OrganizationRecord, plan: Plan): void =>
    setPlan.mutate(
      { params: { org_id: id }, body: { plan } },
      {
        onSuccess: ({ effective_at }) => {
          setLeaving(null);
          notifyDone(
            say('changed', {
              name: `\u2068${name}\u2069`,
              plan: sayCommon(`plan_${plan}`),
              time: utcTime(effective_at),
            }),
          );
        },
      },
    );
  const columns = useColumns(
    {
      changing: setPlan.isPending ? setPlan.variables.params.org_id : null,
      onChange: (item, to) => (to === 'paid' ? change(item, to) : setLeaving(item)),
    },
    organizations.data?.data.some(({ cell }) => cell !== undefined) ?? false,
  );
  return (
    <>
      <FilterBar
        text={list.filters.text}
        onText={(text) => list.setFilters({ text })}
        placeholder={say('search')}
        filtered={list.filtered}
        onClear={list.clear}
      />
      {setPlan.error && !leaving && <ProblemAlert problem={setPlan.error} />}
      <PagedList
        name="organizations"
        label={say('title')}
        list={list}
        read={organizations}
        columns={columns}
        icon={<IconBuilding size={26} />}
        none={
          <Empty icon={<IconBuilding size={26} />} title={say('empty')}>
            {say('make_hint')}
          </Empty>
        }
      />
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={say('downgrade_title', { name: `\u2068${leaving?.name ?? ''}\u2069` })}
        act={say('change_to_free')}
        onAct={() => leaving && change(leaving, 'free')}
        busy={setPlan.isPending}
        problem={setPlan.error}
      >
        <Text size="sm">{say('downgrade_words')}</Text>
      </ConfirmDialog>
    </>
  );
}

type PlanChange = {
  /** The organization whose plan is being changed. */
  changing: string | null;
  onChange: (item: OrganizationRecord, to: Plan) => void;
};

function useColumns(planChange: PlanChange, hasCells: boolean): Column<OrganizationRecord>[] {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  return [
    {
      id: 'name',
      label: say('name'),
      cell: ({ name }) => (
        <Text size="sm" fw={570} component="span" dir="auto">
          {name}
        </Text>
      ),
    },
    { id: 'id', label: say('id'), cell: ({ id }) => <IdToCopy id={id} label={say('copy_id')} /> },
    {
      id: 'plan',
      label: say('plan'),
      cell: ({ plan }) => (
        <Badge color={plan === 'paid' ? 'blue' : 'gray'} miw="max-content">
          {sayCommon(`plan_${plan}`)}
        </Badge>
      ),
    },
    {
      id: 'role',
      label: say('yours'),
      cell: ({ role }) =>
        role ? (
          sayCommon(`role_${role}`)
        ) : (
          <Text span inherit c="dimmed">
            {say('no_role')}
          </Text>
        ),
    },
    ...(hasCells
      ? [{ id: 'cell', label: say('cell'), cell: ({ cell }: OrganizationRecord) => cell && <Cell {...cell} /> }]
      : []),
    { id: 'created', label: say('created'), cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      cell: (item) => <ChangePlan item={item} {...planChange} />,
    },
  ];
}

/** Shows the part of the database that contains the data of an organization, and the load of this part. */
function Cell({ name, organizations, bytes }: NonNullable<OrganizationRecord['cell']>): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <Text span inherit ff="monospace" dir="ltr">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {say('cell_load', { size: sizeTexts(say.language, bytes), count: organizations })}
      </Text>
    </>
  );
}

function ChangePlan({ item, changing, onChange }: PlanChange & { item: OrganizationRecord }): ReactNode {
  const say = useTexts(texts);
  const to: Plan = item.plan === 'paid' ? 'free' : 'paid';
  const act = say(`change_to_${to}`);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={say('plan_of', { act, name: item.name })}
      loading={changing === item.id}
      onClick={() => onChange(item, to)}
    >
      {act}
    </Button>
  );
}
