import { ActionIcon, Badge, Button, Group, NativeSelect, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconPencil, IconPlayerStop, IconRefresh, IconTrash, IconWorld } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import {
  PAGE_STATES,
  type PageState,
  type SourcePage,
  type SourceRecord,
} from '../../../../contract/dashboard/document-sources.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { DataList, type Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { Pager } from '../../list/pager.tsx';
import { usePlacelessList } from '../../list/use-list-state.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AddSiteDialog } from './add-site-dialog.tsx';
import { EditSiteDialog } from './edit-site-dialog.tsx';
import { faultWord, sourceTexts } from './document-source-texts.ts';
import classes from './document-sources.module.css';

const REFRESH = ['listSources', 'listDocuments', 'readKnowledgeUse', 'listSourcePages'] as const;
/** The progress of a running sync is read again at this interval. */
const PROGRESS_MS = 2_000;
const PAGES = 50;
const isBusy = ({ state }: SourceRecord): boolean => state === 'queued' || state === 'running';

/** The sites that an agent uses for answers, with the progress of their syncs. */
export function DocumentSources({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [adding, setAdding] = useState(false);
  const [shown, setShown] = useState<SourceRecord | null>(null);
  const [editing, setEditing] = useState<SourceRecord | null>(null);
  const [leaving, setLeaving] = useState<SourceRecord | null>(null);
  const [every, setEvery] = useState<number | undefined>(undefined);
  const input = { params: { org_id, agent_id: agentId }, query: { limit: 50 } };
  const read = useRead('listSources', input, every === undefined ? {} : { every });
  const wanted = read.data?.data.some(isBusy) ? PROGRESS_MS : undefined;
  if (wanted !== every) setEvery(wanted);
  const client = useQueryClient();
  const pages = read.data?.data.reduce((sum, one) => sum + one.pages.read, 0);
  // A sync also adds documents, so the list of documents is read again.
  useEffect(() => {
    for (const name of ['listDocuments', 'readKnowledgeUse']) void client.invalidateQueries({ queryKey: [name] });
  }, [client, pages]);
  const columns = useColumns({ agentId, onShow: setShown, onEdit: setEditing, onRemove: setLeaving });
  return (
    <section className={classes.sites} aria-label={say('sites')}>
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{say('sites')}</Text>
        {may && (
          <Button size="xs" variant="default" leftSection={<IconWorld size={15} />} onClick={() => setAdding(true)}>
            {say('add_site')}
          </Button>
        )}
      </Group>
      <DataList
        label={say('sites')}
        read={read}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {say('sites_hint')}
          </Text>
        }
      />
      <AddSiteDialog agentId={agentId} opened={adding} onClose={() => setAdding(false)} />
      <EditSiteDialog agentId={agentId} item={editing} onClose={() => setEditing(null)} />
      <PagesDialog agentId={agentId} item={shown} onClose={() => setShown(null)} />
      <RemoveSite agentId={agentId} item={leaving} onClose={() => setLeaving(null)} />
    </section>
  );
}

type Open = (item: SourceRecord) => void;

type On = { agentId: string; onShow: Open; onEdit: Open; onRemove: Open };

function useColumns(on: On): Column<SourceRecord>[] {
  const say = useTexts(sourceTexts);
  const sayCommon = useTexts(common);
  return [
    {
      id: 'url',
      label: say('site'),
      cell: (item) => (
        <UnstyledButton className={classes.url} onClick={() => on.onShow(item)}>
          {item.url}
        </UnstyledButton>
      ),
    },
    { id: 'state', label: say('state'), cell: (item) => <State item={item} /> },
    { id: 'pages', label: say('pages'), cell: (item) => <Pages item={item} /> },
    {
      id: 'last',
      label: say('last_sync'),
      cell: ({ finished_at }) => (finished_at ? <Moment at={finished_at} /> : say('never_synced')),
    },
    {
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      width: '120px',
      cell: (item) => <Actions item={item} {...on} />,
    },
  ];
}

const COLORS = { queued: 'gray', running: 'blue', done: 'gray', failed: 'red', cancelled: 'gray' } as const;

function State({ item }: { item: SourceRecord }): ReactNode {
  const say = useTexts(sourceTexts);
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={COLORS[item.state]} tt="none" miw="max-content">
        {say(`state_${item.state}`)}
      </Badge>
      {item.fault && <FaultText fault={item.fault} />}
      {item.limit_reached && <Text size="xs">{say('limit_reached')}</Text>}
    </Stack>
  );
}

function FaultText({ fault }: { fault: { code: string; detail: string } }): ReactNode {
  const say = useTexts(sourceTexts);
  const word = faultWord(fault.code);
  return (
    <Text size="xs" c="red.8" dir="auto">
      {word === null ? fault.detail : say(word)}
    </Text>
  );
}

function Pages({ item }: { item: SourceRecord }): ReactNode {
  const say = useTexts(sourceTexts);
  const { known, done, read, faults } = item.pages;
  return (
    <Stack gap={2}>
      <Text size="sm">{isBusy(item) ? say('pages_done', { done, known }) : say('pages_read', { read, known })}</Text>
      {faults > 0 && <Text size="xs">{say('faults_some', { count: faults })}</Text>}
    </Stack>
  );
}

function Actions({ item, agentId, onEdit, onRemove }: On & { item: SourceRecord }): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const sync = useAct('syncSource', { refresh: [...REFRESH] });
  const cancel = useAct('cancelSync', { refresh: [...REFRESH] });
  if (!may) return null;
  const params = { org_id, agent_id: agentId, source_id: item.id };
  const busy = isBusy(item);
  const label = (action: 'stop' | 'sync_now' | 'edit' | 'remove'): string =>
    say('actions_of', { action: say(action), name: item.url });
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label(busy ? 'stop' : 'sync_now')}
        title={say(busy ? 'stop' : 'sync_now')}
        loading={sync.isPending || cancel.isPending}
        onClick={() => (busy ? cancel : sync).mutate({ params })}
      >
        {busy ? <IconPlayerStop size={17} /> : <IconRefresh size={17} />}
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label('edit')}
        title={say('edit')}
        onClick={() => onEdit(item)}
      >
        <IconPencil size={17} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={label('remove')} onClick={() => onRemove(item)}>
        <IconTrash size={17} />
      </ActionIcon>
    </Group>
  );
}

type DialogProps = { agentId: string; item: SourceRecord | null; onClose: () => void };

function PagesDialog({ agentId, item, onClose }: DialogProps): ReactNode {
  const say = useTexts(sourceTexts);
  return (
    <Dialog
      opened={item !== null}
      onClose={onClose}
      size="xl"
      title={say.rich('pages_title', { name: <bdi dir="ltr">{item?.url}</bdi> })}
    >
      {item && <PageList agentId={agentId} id={item.id} />}
    </Dialog>
  );
}

function PageList({ agentId, id }: { agentId: string; id: string }): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const list = usePlacelessList<{ state?: PageState }>();
  const read = useRead(
    'listSourcePages',
    {
      params: { org_id, agent_id: agentId, source_id: id },
      query: { ...list.filters, cursor: list.cursor, limit: PAGES },
    },
    { keep: true },
  );
  const columns: Column<SourcePage>[] = [
    { id: 'page', label: say('page'), cell: ({ url }) => <bdi className={classes.url}>{url}</bdi> },
    {
      id: 'state',
      label: say('state'),
      cell: ({ state, fault }) => (fault ? <FaultText fault={fault} /> : say(`page_${state}`)),
    },
  ];
  return (
    <Stack>
      <NativeSelect
        label={say('state')}
        maw={260}
        value={list.filters.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          list.setFilters({ state: (value || undefined) as PageState | undefined })
        }
        data={[
          { value: '', label: say('all_pages') },
          ...PAGE_STATES.map((value) => ({ value, label: say(`page_${value}`) })),
        ]}
      />
      <DataList
        label={say('pages')}
        read={read}
        columns={columns}
        keyOf={({ url }) => url}
        empty={<Empty icon={<IconWorld size={26} />} title={say(list.filtered ? 'pages_none_so' : 'pages_none')} />}
      />
      <Pager list={list} page={read.data} />
    </Stack>
  );
}

function RemoveSite({ agentId, item, onClose }: DialogProps): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const remove = useAct('deleteSource', { refresh: [...REFRESH] });
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      title={say('remove_title')}
      act={say('remove')}
      busy={remove.isPending}
      problem={remove.error}
      onAct={() =>
        remove.mutate(
          { params: { org_id, agent_id: agentId, source_id: item!.id } },
          {
            onSuccess: () => {
              onClose();
              notifyDone(say('removed'));
            },
          },
        )
      }
    >
      <Text size="sm">
        <bdi dir="ltr">{item?.url}</bdi>
      </Text>
      {say('remove_words')}
    </ConfirmDialog>
  );
}
