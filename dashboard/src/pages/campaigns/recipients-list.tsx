import { Button, Group, Select, Text, Title } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { RecipientStatus } from '../../../../contract/campaigns.ts';
import type { NamedRecipient } from '../../../../contract/dashboard/campaigns.ts';
import { addressOf, call } from '../../api/client.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { BulkAct } from '../../list/bulk-act.tsx';
import type { Column } from '../../list/data-list.tsx';
import { NothingFound } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { LiveState } from '../../parts/live-state.tsx';
import { Moment, Until } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ExportResults } from '../../parts/runs/export-results.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { GROUPS, RecipientBadge, useRecipientReason } from './recipient-state.tsx';
import { texts as recipientTexts } from './recipient-texts.ts';
import { LOOK_AGAIN_MS, READ_AGAIN, STATUSES } from './search.ts';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

const PAGE = 20;
type Filters = { status?: RecipientStatus; ref?: string };

/** Lists the recipients, newest first, each with its status and reason. */
export function RecipientsList({ campaignId, failed }: { campaignId: string; failed: boolean }): ReactNode {
  const say = useTexts(texts);
  const sayRecipient = useTexts(recipientTexts);
  const org_id = useOrganization().id;
  const list = useListState<Filters>(['status', 'ref']);
  const may = useMay('member');
  const [asked, setAsked] = useState<NamedRecipient | null>(null);
  const [opened, setOpened] = useState(false);
  const recipients = useRead(
    'listRecipients',
    {
      params: { org_id, campaign_id: campaignId },
      query: { ...list.filters, cursor: list.cursor, limit: PAGE },
    },
    { every: LOOK_AGAIN_MS, live: `campaign:${campaignId}`, keep: true },
  );
  const columns = useColumns((item) => {
    setAsked(item);
    setOpened(true);
  });
  return (
    <section className={classes.section} aria-label={say('recipients')}>
      <Title order={2}>{say('recipients')}</Title>
      <Text size="sm" c="dimmed" mb="sm" component="div">
        {say('recipients_hint')} <LiveState failed={failed || recipients.isError} every={LOOK_AGAIN_MS} />
      </Text>
      <FilterBar
        text={list.filters.ref}
        onText={(ref) => list.setFilters({ ref })}
        placeholder={say('by_ref')}
        filtered={list.filtered}
        onClear={list.clear}
      >
        <Select
          aria-label={say('state')}
          placeholder={say('any_status')}
          clearable
          w={220}
          value={list.filters.status ?? null}
          data={STATUSES.map((value) => ({ value, label: sayRecipient(`status_${value}`) }))}
          onChange={(value) => list.setFilters({ status: value ?? undefined })}
        />
        {may && (
          <ExportResults
            href={addressOf('exportRecipients', { params: { org_id, campaign_id: campaignId }, query: list.filters })}
          />
        )}
      </FilterBar>
      <PagedList
        name="recipients"
        label={say('recipients')}
        list={list}
        read={recipients}
        columns={columns}
        faded={({ status }) => (GROUPS.lost as readonly string[]).includes(status)}
        selecting={
          may
            ? {
                label: (item) => item.name ?? item.ref ?? item.id,
                acts: (chosen) => <CancelMany items={chosen.filter(({ status }) => !ENDS.includes(status))} />,
              }
            : undefined
        }
        icon={<IconUsers size={26} />}
        none={<NothingFound icon={<IconUsers size={26} />} onClear={list.clear} />}
      />
      <CancelDialog item={asked} opened={opened} onClose={() => setOpened(false)} />
    </section>
  );
}

/** The statuses that do not change any more. */
const ENDS: readonly string[] = ['completed', ...GROUPS.lost];

function useColumns(onCancel: (item: NamedRecipient) => void): Column<NamedRecipient>[] {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const may = useMay('member');
  const columns: Column<NamedRecipient>[] = [
    { id: 'ref', label: say('recipient'), cell: (item) => <Who item={item} /> },
    { id: 'state', label: say('state'), cell: ({ status }) => <RecipientBadge status={status} />, width: '150px' },
    { id: 'why', label: say('why'), cell: (item) => <Reason item={item} /> },
    { id: 'changed', label: say('changed'), cell: ({ updated_at }) => <Moment at={updated_at} />, width: '130px' },
    {
      id: 'conversation',
      label: say('conversation'),
      width: '120px',
      cell: ({ conversation_id }) =>
        conversation_id ? (
          <Link to="/conversations/$conversation_id" params={{ conversation_id }} className={pageClasses.link}>
            {say('open')}
          </Link>
        ) : (
          <span aria-hidden="true">–</span>
        ),
    },
  ];
  if (may)
    columns.push({
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      cell: (item) =>
        ENDS.includes(item.status) ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={say('cancel_label', { name: item.name ?? item.ref ?? item.id })}
            onClick={() => onCancel(item)}
          >
            {say('cancel_one')}
          </Button>
        ),
    });
  return columns;
}

/** Shows the person, and the caller's own name for this recipient. */
function Who({ item: { ref, end_user_id, id, name } }: { item: NamedRecipient }): ReactNode {
  const say = useTexts(texts);
  return (
    <Group gap="0 8px" maw={340}>
      {end_user_id ? (
        <Link to="/end-users/$end_user_id" params={{ end_user_id }} className={pageClasses.name} dir="auto">
          {name ?? say('person')}
        </Link>
      ) : (
        <span className={pageClasses.soft}>{say('person_gone')}</span>
      )}
      {ref && (
        <span className={pageClasses.soft} dir="auto">
          {ref}
        </span>
      )}
      <CopyButton text={id} label={say('copy_recipient_id')} />
    </Group>
  );
}

function Reason({ item: { reason, due_at, status } }: { item: NamedRecipient }): ReactNode {
  const say = useTexts(texts);
  const inWords = useRecipientReason();
  const isAhead = due_at !== null && Date.parse(due_at) > Date.now();
  return (
    <div>
      {reason && <div dir="auto">{inWords(reason)}</div>}
      {isAhead && <div>{say.rich('goes_out', { when: <Until at={due_at} /> })}</div>}
      {!isAhead && status === 'pending' && <div>{say('goes_out_next')}</div>}
      {!reason && !isAhead && status !== 'pending' && <span aria-hidden="true">–</span>}
    </div>
  );
}

function CancelMany({ items }: { items: readonly NamedRecipient[] }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <BulkAct
      items={items}
      act={say('cancel_many')}
      title={say('cancel_many_title')}
      run={({ campaign_id, id }) => call('cancelRecipient', { params: { org_id, campaign_id, recipient_id: id } })}
      refresh={READ_AGAIN}
    >
      {say('cancel_many_words')}
    </BulkAct>
  );
}

type DialogProps = { item: NamedRecipient | null; opened: boolean; onClose: () => void };

function CancelDialog({ item, opened, onClose }: DialogProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const cancel = useAct('cancelRecipient', { refresh: READ_AGAIN });
  const isBegun = item?.conversation_id !== null;
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={say('cancel_title', { name: `\u2068${item?.name ?? item?.ref ?? item?.id ?? ''}\u2069` })}
      act={say('cancel_act')}
      busy={cancel.isPending}
      problem={cancel.error}
      onAct={() => {
        if (!item) return;
        cancel.mutate(
          { params: { org_id, campaign_id: item.campaign_id, recipient_id: item.id } },
          {
            onSuccess: () => {
              onClose();
              notifyDone(say('cancel_done'));
            },
          },
        );
      }}
    >
      <Text size="sm">{say(isBegun ? 'cancel_begun' : 'cancel_waiting')}</Text>
    </ConfirmDialog>
  );
}
