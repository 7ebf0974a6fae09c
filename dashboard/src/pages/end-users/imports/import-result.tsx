import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FAULT_RETENTION_DAYS, type ImportRecord } from '../../../../../contract/dashboard/imports.ts';
import { addressOf } from '../../../api/client.ts';
import { useRead } from '../../../api/queries.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList } from '../../../list/data-list.tsx';
import { Pager } from '../../../list/pager.tsx';
import { useListState } from '../../../list/use-list-state.ts';
import { Card } from '../../../parts/card.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';
import classes from './import.module.css';

const PAGE = 20;

/** Shows the result of a run, and the failed rows. */
export function ImportResult({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const title = item.state === 'cancelled' ? 'cancelled' : item.dry_run ? 'would' : 'done';
  if (item.fault) {
    return (
      <Alert color="red" icon={<IconAlertTriangle size={18} />} title={say('failed')} role="alert">
        <span dir="auto">{item.fault.detail}</span>{' '}
        {item.fault.row !== null && say('failed_row', { row: number(say.language, item.fault.row) })}
      </Alert>
    );
  }
  return (
    <>
      <Card
        title={say(title)}
        description={say('known_hint')}
        aside={
          title === 'done' && (
            <Button variant="default" renderRoot={(props) => <Link to="/end-users" {...props} />}>
              {say('show')}
            </Button>
          )
        }
      >
        <dl className={classes.counts}>
          {(
            [
              ['total', item.rows],
              ['created', item.created],
              ['updated', item.updated],
              ['invalid', item.invalid],
            ] as const
          ).map(([name, count]) => (
            <div key={name}>
              <dt>{say(name)}</dt>
              <dd>{number(say.language, count)}</dd>
            </div>
          ))}
        </dl>
      </Card>
      {item.invalid > 0 && <FailedRows item={item} />}
    </>
  );
}

function FailedRows({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, import_id: item.id };
  const list = useListState<object>([]);
  const faults = useRead('listImportFaults', { params, query: { cursor: list.cursor, limit: PAGE } }, { keep: true });
  return (
    <section aria-label={say('failed_rows')}>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" flex="1 1 240px">
          {say('failed_rows_hint', { days: FAULT_RETENTION_DAYS })}
        </Text>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          component="a"
          href={addressOf('exportImportFaults', { params })}
          download
        >
          {say('download')}
        </Button>
      </Group>
      <DataList
        label={say('failed_rows')}
        read={faults}
        keyOf={({ row }) => String(row)}
        columns={[
          { id: 'row', label: say('row'), cell: ({ row }) => number(say.language, row) },
          {
            id: 'reason',
            label: say('reason'),
            cell: ({ faults: found }) => (
              <>
                {found.map(({ pointer, detail }, index) => (
                  <div key={index} className={classes.fault} dir="auto">
                    {pointer && <b>{pointer.slice(1)}: </b>}
                    {detail}
                  </div>
                ))}
              </>
            ),
          },
          {
            id: 'cells',
            label: say('cells'),
            cell: ({ cells }) => (
              <div className={classes.example} dir="auto">
                {cells.join(' · ')}
              </div>
            ),
          },
        ]}
        empty={null}
        footer={<Pager list={list} page={faults.data} />}
      />
    </section>
  );
}
