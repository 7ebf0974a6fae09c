import { Alert, Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import {
  IMPORT_DELIMITERS,
  IMPORT_ENCODINGS,
  IMPORT_FIELDS,
  type ImportField,
  type ImportPreview,
  type ImportRecord,
} from '../../../../../contract/dashboard/imports.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { words } from './words.ts';
import classes from './import.module.css';

const IDENTIFIERS = ['external_id', 'email', 'phone'];
const DELIMITER_WORDS = {
  ',': 'delimiter_comma',
  ';': 'delimiter_semicolon',
  '\t': 'delimiter_tab',
  '|': 'delimiter_pipe',
} as const;

/** How the file is read, and where each column goes. */
export function MapColumns({ item }: { item: ImportRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const params = { org_id, import_id: item.id };
  const [read, setRead] = useState<{ encoding?: ImportPreview['encoding']; delimiter?: ImportPreview['delimiter'] }>({
    encoding: item.settings?.encoding,
    delimiter: item.settings?.delimiter,
  });
  const preview = useRead('previewImport', { params, query: read }, { staleTime: Infinity });
  const [chosen, setChosen] = useState<Record<number, string>>(
    Object.fromEntries((item.settings?.columns ?? []).map((target, index) => [index, target ?? ''])),
  );
  const [checked, setChecked] = useState(false);
  const run = useAct('runImport', { refresh: ['readImport', 'listImports'] });
  const columns = preview.data?.header.map((_, index) => (chosen[index] ?? preview.data.columns[index]) || null) ?? [];
  const fault = faultOf(columns);
  const fieldWord = (target: string): string =>
    target.startsWith('attributes.')
      ? say('attribute', { name: target.slice('attributes.'.length) })
      : say(`field_${target as ImportField}`);

  const start = (dry_run: boolean): void => {
    setChecked(true);
    if (fault !== null || !preview.data) return;
    const { delimiter, encoding } = preview.data;
    run.mutate({ params, body: { columns, delimiter, encoding, dry_run } });
  };
  return (
    <Card title={say('map')} description={say('map_hint')}>
      <Group mb="md" gap="md">
        <NativeSelect
          label={say('encoding')}
          value={read.encoding ?? preview.data?.encoding ?? ''}
          onChange={(event) => setRead({ ...read, encoding: event.currentTarget.value as ImportPreview['encoding'] })}
          data={[
            ...(read.encoding || preview.data ? [] : [{ value: '', label: say('encoding_auto') }]),
            ...IMPORT_ENCODINGS.map((one) => ({ value: one, label: one.toUpperCase() })),
          ]}
        />
        <NativeSelect
          label={say('delimiter')}
          value={read.delimiter ?? preview.data?.delimiter ?? ','}
          onChange={(event) => {
            setRead({ ...read, delimiter: event.currentTarget.value as ImportPreview['delimiter'] });
            setChosen({});
          }}
          data={IMPORT_DELIMITERS.map((one) => ({ value: one, label: say(DELIMITER_WORDS[one]) }))}
        />
      </Group>
      {preview.isPending && <Skeleton h={160} />}
      {preview.error && <ProblemAlert problem={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.data && (
        <>
          <div className={classes.scroll}>
            <table className={classes.table} aria-label={say('map')}>
              <thead>
                <tr>
                  <th scope="col">{say('column')}</th>
                  <th scope="col">{say('examples')}</th>
                  <th scope="col">{say('becomes')}</th>
                </tr>
              </thead>
              <tbody>
                {preview.data.header.map((heading, index) => (
                  <tr key={index}>
                    <th scope="row" dir="auto">
                      {heading}
                    </th>
                    <td>
                      {preview.data.rows.slice(0, 2).map((row, at) => (
                        <div key={at} dir="auto" className={classes.example}>
                          {row[index]}
                        </div>
                      ))}
                    </td>
                    <td>
                      <NativeSelect
                        aria-label={say('becomes_label', { column: heading })}
                        value={columns[index] ?? ''}
                        onChange={(event) => setChosen({ ...chosen, [index]: event.currentTarget.value })}
                        data={targetsOf(heading, columns[index] ?? null, fieldWord, say('leave_out'))}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {checked && fault !== null && (
            <Alert color="red" icon={<IconInfoCircle size={18} />} mt="md" role="alert">
              {fault === '' ? say('identifier_missing') : say('twice', { field: fieldWord(fault) })}
            </Alert>
          )}
          {run.error && (
            <Group mt="md">
              <ProblemAlert problem={run.error} />
            </Group>
          )}
          <Group justify="flex-end" mt="lg" gap="xs">
            <Text size="sm" c="dimmed" flex="1 1 180px">
              {say('try_hint')}
            </Text>
            <Button variant="default" loading={run.isPending} onClick={() => start(true)}>
              {say('try')}
            </Button>
            <Button loading={run.isPending} onClick={() => start(false)}>
              {say('import_now')}
            </Button>
          </Group>
        </>
      )}
    </Card>
  );
}

function targetsOf(heading: string, chosen: string | null, word: (target: string) => string, leaveOut: string) {
  const own = `attributes.${heading.trim().slice(0, 64)}`;
  const attributes = [...new Set([chosen ?? '', own].filter((one) => /^attributes\../.test(one)))];
  return [
    { value: '', label: leaveOut },
    ...[...IMPORT_FIELDS, ...attributes].map((target) => ({ value: target, label: word(target) })),
  ];
}

/** Null: valid. Empty: no column to match people by. Else the field that two columns are mapped to. */
function faultOf(columns: readonly (string | null)[]): string | null {
  const twice = columns.find((one, index) => one !== null && columns.indexOf(one) !== index);
  if (twice) return twice;
  return columns.some((one) => one !== null && IDENTIFIERS.includes(one)) ? null : '';
}
