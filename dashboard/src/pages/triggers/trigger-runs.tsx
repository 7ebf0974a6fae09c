import { Group, Text, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunRecord } from '../../../../contract/triggers.ts';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { IdToCopy } from '../../parts/id-code.tsx';
import { Moment, Until } from '../../parts/moment.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { ExportResults } from '../../parts/runs/export-results.tsx';
import { RunResultCell } from '../../parts/runs/run-result.tsx';
import { resultTexts } from '../../parts/runs/result-texts.ts';
import { RunStatusBadge, useReasonText } from '../../parts/runs/run-status.tsx';
import { texts } from './texts.ts';

const PAGE = 10;
const LOOK_AGAIN_MS = 2_000;

export function TriggerRuns({ triggerId }: { triggerId: string }): ReactNode {
  const say = useTexts(texts);
  const sayResult = useTexts(resultTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const list = useListState<object>([]);
  const runs = useRead(
    'listTriggerRuns',
    { params: { org_id, trigger_id: triggerId }, query: { cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: `runs:${triggerId}`, keep: true },
  );
  return (
    <section aria-label={say('runs')}>
      <Group justify="space-between">
        <Title order={2}>{say('runs')}</Title>
        {may && (
          <ExportResults href={addressOf('exportTriggerResults', { params: { org_id, trigger_id: triggerId } })} />
        )}
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {say('runs_hint')}
      </Text>
      <PagedList
        name="runs"
        label={say('runs')}
        list={list}
        read={runs}
        columns={[
          { id: 'run', label: say('run'), cell: ({ id }) => <IdToCopy id={id} label={say('copy_run_id')} /> },
          {
            id: 'person',
            label: say('person'),
            cell: ({ end_user_id, name }) => (
              <Link to="/end-users/$end_user_id" params={{ end_user_id }} className={pageClasses.link} dir="auto">
                {name ?? say('no_name')}
              </Link>
            ),
          },
          { id: 'state', label: say('state'), cell: ({ status }) => <RunStatusBadge status={status} /> },
          { id: 'why', label: say('why'), cell: (run) => <Reason run={run} /> },
          { id: 'result', label: sayResult('result'), cell: ({ result }) => <RunResultCell result={result} /> },
          { id: 'begun', label: say('begun'), cell: ({ created_at }) => <Moment at={created_at} />, width: '140px' },
          {
            id: 'conversation',
            label: say('conversation'),
            width: '120px',
            cell: ({ conversation_id }) => (
              <Link to="/conversations/$conversation_id" params={{ conversation_id }} className={pageClasses.link}>
                {say('open')}
              </Link>
            ),
          },
        ]}
        icon={<IconPlayerPlay size={26} />}
        none={
          <Empty icon={<IconPlayerPlay size={26} />} title={say('runs')}>
            {say('runs_empty')}
          </Empty>
        }
      />
    </section>
  );
}

function Reason({ run: { reason, error, attempts, status, send_at } }: { run: RunRecord }): ReactNode {
  const say = useTexts(texts);
  const inWords = useReasonText();
  return (
    <div>
      {reason && <div dir="auto">{inWords(reason)}</div>}
      {error && (
        <div>
          <code>{error.code}</code> <bdi>{error.detail}</bdi>
        </div>
      )}
      {status === 'scheduled' && send_at && <Until at={send_at} />}
      {attempts > 1 && (
        <Text size="xs" c="dimmed">
          {say('attempts', { count: attempts })}
        </Text>
      )}
      {!reason && !error && status !== 'scheduled' && attempts <= 1 && <span aria-hidden="true">–</span>}
    </div>
  );
}
