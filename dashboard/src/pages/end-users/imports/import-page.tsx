import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconFileTypeCsv, IconInfoCircle } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { type ImportRecord, IMPORT_PIECE_BYTES } from '../../../../../contract/dashboard/imports.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList } from '../../../list/data-list.tsx';
import { Empty } from '../../../list/empty.tsx';
import { Pager } from '../../../list/pager.tsx';
import { useListState } from '../../../list/use-list-state.ts';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { RecordPage } from '../../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import pageClasses from '../../../parts/page.module.css';
import { ChooseFile } from './choose-file.tsx';
import { DiscardFile } from './discard-file.tsx';
import { ImportResult } from './import-result.tsx';
import { MapColumns } from './map-columns.tsx';
import { texts } from './texts.ts';
import classes from '../end-users.module.css';

const route = getRouteApi('/inside/end-users/import');
const LOOK_AGAIN_MS = 700;

/**
 * On this page, a member chooses a file, checks the result of a dry run, and imports the file. The URL contains the ID
 * of the open import, so a reload loses nothing.
 */
export function ImportPage(): ReactNode {
  const say = useTexts(texts);
  const { id } = route.useSearch();
  return id === undefined ? <Begin /> : <One key={id} id={id} title={say('import')} />;
}

const useCrumbs = () => [{ label: useTexts(texts)('end_users'), to: '/end-users' as const }];

function Begin(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const navigate = route.useNavigate();
  const may = useMay('member');
  const { role } = useOrganization();
  return (
    <>
      <PageHeader title={say('import')} description={say('hint')} crumbs={useCrumbs()} />
      {may ? (
        <ChooseFile onSent={(id) => void navigate({ to: '.', search: { id } })} />
      ) : (
        <Alert icon={<IconInfoCircle size={18} />}>{say('viewer', { role: sayCommon(`role_${role}`) })}</Alert>
      )}
      <Earlier />
    </>
  );
}

function One({ id, title }: { id: string; title: string }): ReactNode {
  const org_id = useOrganization().id;
  const crumbs = useCrumbs();
  const read = useRead('readImport', { params: { org_id, import_id: id } }, { every: LOOK_AGAIN_MS });
  return (
    <RecordPage read={read} title={title} crumbs={crumbs}>
      {(item) => (
        <>
          <PageHeader title={title} description={<bdi>{item.name}</bdi>} crumbs={crumbs} />
          <Stack gap="lg">
            <Stage item={item} />
          </Stack>
        </>
      )}
    </RecordPage>
  );
}

const isWhole = ({ pieces, bytes }: ImportRecord): boolean => pieces === Math.ceil(bytes / IMPORT_PIECE_BYTES);

function Stage({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const navigate = route.useNavigate();
  const may = useMay('member');
  if (item.state === 'queued' || item.state === 'running') return <UnderWay item={item} />;
  const isOver = item.state === 'cancelled' || (item.state === 'done' && !item.dry_run);
  return (
    <>
      {item.state !== 'uploading' && <ImportResult item={item} />}
      {!isOver && may && isWhole(item) && <MapColumns item={item} />}
      {!isOver && !isWhole(item) && (
        <Alert
          color="orange"
          icon={<IconInfoCircle size={18} />}
          title={say(item.state === 'uploading' ? 'upload_cut' : 'file_gone')}
        >
          {say(item.state === 'uploading' ? 'upload_cut_words' : 'file_gone_words')}
        </Alert>
      )}
      <Group>
        {(isOver || !isWhole(item)) && (
          <Button variant="default" renderRoot={(props) => <Link to="/end-users/import" search={{}} {...props} />}>
            {say('again')}
          </Button>
        )}
        {may && (item.state === 'uploading' || item.file_kept) && (
          <DiscardFile item={item} onDiscarded={() => void navigate({ to: '.', search: {} })} />
        )}
      </Group>
    </>
  );
}

function UnderWay({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const cancel = useAct('cancelImport', { refresh: ['readImport', 'listImports'] });
  const [asking, setAsking] = useState(false);
  const percent = Math.floor((item.bytes_done / item.bytes) * 100);
  const title = say(item.dry_run ? 'trying' : 'importing', { name: `\u2068${item.name}\u2069` });
  return (
    <Card
      title={title}
      description={say('goes_on')}
      aside={
        may && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {say('stop')}
          </Button>
        )
      }
    >
      <Progress value={percent} aria-label={title} size="lg" animated />
      <Group justify="space-between" mt="xs">
        <Text size="sm">{say('rows', { count: item.rows })}</Text>
        <Text size="sm" c="dimmed">
          {say('progress', { percent })}
        </Text>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={say('stop_title')}
        act={say('stop')}
        busy={cancel.isPending}
        problem={cancel.error}
        onAct={() => cancel.mutate({ params: { org_id, import_id: item.id } }, { onSuccess: () => setAsking(false) })}
      >
        <Text size="sm">{say('stop_words')}</Text>
      </ConfirmDialog>
    </Card>
  );
}

const PAGE = 10;

function Earlier(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const list = useListState<object>([]);
  const imports = useRead(
    'listImports',
    { params: { org_id }, query: { cursor: list.cursor, limit: PAGE } },
    { every: 3_000, keep: true },
  );
  return (
    <section aria-label={say('earlier')} className={classes.section}>
      <h2>{say('earlier')}</h2>
      <DataList
        label={say('earlier')}
        read={imports}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'file',
            label: say('file'),
            cell: ({ id, name }) => (
              <Link to="/end-users/import" search={{ id }} className={pageClasses.name} dir="auto">
                {name}
              </Link>
            ),
          },
          { id: 'result', label: say('result'), cell: (item) => <State item={item} /> },
          ...(['created', 'updated', 'invalid'] as const).map((count) => ({
            id: count,
            label: say(count),
            align: 'end' as const,
            cell: (item: ImportRecord) => number(say.language, item[count]),
          })),
          { id: 'when', label: say('when'), cell: (item) => <Moment at={item.created_at} /> },
        ]}
        empty={<Empty icon={<IconFileTypeCsv size={26} />} title={say('earlier_empty')} />}
        footer={<Pager list={list} page={imports.data} />}
      />
    </section>
  );
}

const COLORS = {
  uploading: 'gray',
  queued: 'gray',
  running: 'blue',
  done: 'gray',
  failed: 'red',
  cancelled: 'gray',
} as const;

function State({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const { state, dry_run } = item;
  if (state === 'uploading' && isWhole(item)) return <Badge color={COLORS[state]}>{say('state_waiting')}</Badge>;
  const isTried = state === 'done' && dry_run;
  return <Badge color={isTried ? 'gray' : COLORS[state]}>{say(isTried ? 'state_tried' : `state_${state}`)}</Badge>;
}
