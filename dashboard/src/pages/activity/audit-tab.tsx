import { Button, Group, Select, Text } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditRecord } from '../../../../contract/dashboard/activity.ts';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts, type Say } from '../../language/texts.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { IdCode } from '../../parts/id-code.tsx';
import { Moment } from '../../parts/moment.tsx';
import { pageOfId } from '../../parts/page-of-id.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { AUDIT_FORMATS } from './search.ts';
import { texts, type ActivityWord } from './texts.ts';
import classes from './activity.module.css';

const PAGE = 20;
const LOOK_AGAIN_MS = 5_000;
type Filters = { actor?: string; subject_id?: string };
/** The texts for changes that no person made. */
const SYSTEM = 'system';

/** The audit log shows who changed what, when, and from which address. */
export function AuditTab(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const seesAddresses = useMay('admin');
  const list = useListState<Filters>(['actor', 'subject_id']);
  const audit = useRead(
    'listAudit',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'audit', keep: true },
  );
  const columns = useColumns(seesAddresses);
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: 30_000 });
  const people = [
    ...(members.data?.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    { value: SYSTEM, label: say('schedule') },
  ];
  return (
    <>
      <Group justify="space-between" align="start" mb="sm">
        <Text size="sm" c="dimmed">
          {say('audit_hint')}
        </Text>
        {seesAddresses && <Exports filters={list.filters} />}
      </Group>
      <FilterBar
        text={list.filters.subject_id}
        onText={(subject_id) => list.setFilters({ subject_id: subject_id?.slice(0, 64) })}
        placeholder={say('by_subject')}
        filtered={list.filtered}
        onClear={list.clear}
      >
        <Select
          aria-label={say('actor')}
          placeholder={say('any_actor')}
          clearable
          searchable
          w={210}
          value={list.filters.actor ?? null}
          data={people}
          onChange={(actor) => list.setFilters({ actor: actor ?? undefined })}
        />
      </FilterBar>
      <PagedList
        name="audit"
        label={say('tab_audit')}
        list={list}
        read={audit}
        columns={columns}
        icon={<IconHistory size={26} />}
        none={
          <Empty icon={<IconHistory size={26} />} title={say('empty_title')}>
            {say('empty_words')}
          </Empty>
        }
      />
    </>
  );
}

function useColumns(seesAddresses: boolean): Column<AuditRecord>[] {
  const say = useTexts(texts);
  const columns: Column<AuditRecord>[] = [
    { id: 'what', label: say('what'), cell: ({ action }) => <b className={classes.what}>{inWords(action, say)}</b> },
    { id: 'about', label: say('about'), cell: (item) => <About item={item} /> },
    {
      id: 'who',
      label: say('actor'),
      cell: ({ actor, actor_name, token_id, token_label }) => (
        <bdi>
          {actor_name ?? say(actor === 'leak_report' ? actor : actor.startsWith('user_') ? 'gone_person' : 'schedule')}
          {token_id && <div className={classes.id}>{say('by_token', { label: token_label ?? token_id })}</div>}
        </bdi>
      ),
    },
  ];
  if (seesAddresses)
    columns.push({
      id: 'where',
      label: say('where'),
      cell: ({ address }) => (address ? <code>{address}</code> : <span aria-hidden="true">–</span>),
    });
  columns.push({
    id: 'when',
    label: say('when'),
    cell: ({ created_at }) => <Moment at={created_at} />,
    width: '140px',
  });
  return columns;
}

/** Downloads the filtered records as a file. */
function Exports({ filters }: { filters: Filters }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <Group gap="xs" role="group" aria-label={say('export_hint')}>
      {AUDIT_FORMATS.map((format) => (
        <Button
          key={format}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          component="a"
          href={addressOf('exportAudit', { params: { org_id }, query: { ...filters, format } })}
          download
          title={say('export_hint')}
        >
          {say(`export_${format}`)}
        </Button>
      ))}
    </Group>
  );
}

/** Links to the subject of the record, and shows its facts. */
function About({ item: { subject_id, subject_name, facts, request_id } }: { item: AuditRecord }): ReactNode {
  const say = useTexts(texts);
  const to = pageOfId(subject_id);
  // Only the facts of the entry contain the name of a deleted record.
  const named = subject_name ?? NAMES.map((name) => facts[name]).find((value) => typeof value === 'string');
  const shown =
    typeof named === 'string' ? (
      <bdi>{named}</bdi>
    ) : isId(subject_id) ? (
      <IdCode id={subject_id} short />
    ) : (
      <bdi>{subject_id}</bdi>
    );
  return (
    <div className={classes.about}>
      {to ? (
        <Link to={to} className={pageClasses.link} title={subject_id}>
          {shown}
        </Link>
      ) : (
        <span title={subject_id}>{shown}</span>
      )}
      <CopyButton text={subject_id} label={say('copy_subject')} />
      {(Object.keys(facts).length > 0 || request_id) && (
        <details className={classes.details}>
          <summary>{say('details')}</summary>
          <pre dir="ltr">{JSON.stringify({ ...facts, ...(request_id && { request_id }) }, null, 2)}</pre>
          <Link to="/activity" search={{ tab: 'audit', subject_id }} className={pageClasses.link}>
            {say('only_this')}
          </Link>
        </details>
      )}
    </div>
  );
}

const NAMES = ['name', 'label', 'email', 'url', 'tool', 'domain'];
/** Some subjects are names, such as a provider or a domain. */
const isId = (subject: string): boolean => /_[0-9a-z]{26}$/.test(subject);

function inWords(action: string, say: Say<ActivityWord>): string {
  const [noun = '', verb = ''] = action.split('.');
  if (!(`noun_${noun}` in texts.en) || !(`action_${verb}` in texts.en)) return action;
  return say('sentence', { noun: say(`noun_${noun}` as ActivityWord), action: say(`action_${verb}` as ActivityWord) });
}
