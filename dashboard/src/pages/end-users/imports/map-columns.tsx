import { Alert, Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { cutText } from '../../../../../contract/cut-text.ts';
import {
  IMPORT_DELIMITERS,
  IMPORT_ENCODINGS,
  IMPORT_FIELDS,
  type ImportField,
  type ImportPreview,
  type ImportRecord,
} from '../../../../../contract/dashboard/imports.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';
import classes from './import.module.css';

const IDENTIFIERS = ['external_id', 'email', 'phone'];
const DELIMITER_WORDS = {
  ',': 'delimiter_comma',
  ';': 'delimiter_semicolon',
  '\t': 'delimiter_tab',
  '|': 'delimiter_pipe',
} as const;

type ReadAs = { encoding?: ImportPreview['encoding']; delimiter?: ImportPreview['delimiter'] };

/** The form sets the format of the file, and the target of each column. */
export function MapColumns({ item }: { item: ImportRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, import_id: item.id };
  const [readAs, setReadAs] = useState<ReadAs>({
    encoding: item.settings?.encoding,
    delimiter: item.settings?.delimiter,
  });
  const preview = useRead('previewImport', { params, query: readAs }, { staleTime: Infinity });
  const [chosen, setChosen] = useState<Record<number, string>>(
    Object.fromEntries((item.settings?.columns ?? []).map((target, index) => [index, target ?? ''])),
  );
  const [checked, setChecked] = useState(false);
  const run = useAct('runImport', { refresh: ['readImport', 'listImports'] });
  const columns = preview.data?.header.map((_, index) => (chosen[index] ?? preview.data.columns[index]) || null) ?? [];
  const fault = faultOf(columns);
  const fieldWord = useFieldWord();

  const start = (dry_run: boolean): void => {
    setChecked(true);
    if (fault !== null || !preview.data) return;
    const { delimiter, encoding } = preview.data;
    run.mutate({ params, body: { columns, delimiter, encoding, dry_run } });
  };
  return (
    <Card title={say('map')} description={say('map_hint')}>
      <ReadAsFields
        readAs={readAs}
        preview={preview.data}
        onChange={(part) => {
          setReadAs({ ...readAs, ...part });
          // Another delimiter results in other columns.
          if (part.delimiter) setChosen({});
        }}
      />
      {preview.isPending && <Skeleton h={160} />}
      {preview.error && <ProblemAlert problem={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.data && (
        <>
          <ColumnTable
            preview={preview.data}
            columns={columns}
            onChoose={(index, target) => setChosen({ ...chosen, [index]: target })}
          />
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

type ReadAsProps = { readAs: ReadAs; preview: ImportPreview | undefined; onChange: (part: ReadAs) => void };

/** If the member chooses nothing, the server's guess applies. */
function ReadAsFields({ readAs, preview, onChange }: ReadAsProps): ReactNode {
  const say = useTexts(texts);
  return (
    <Group mb="md" gap="md">
      <NativeSelect
        label={say('encoding')}
        value={readAs.encoding ?? preview?.encoding ?? ''}
        onChange={(event) => onChange({ encoding: event.currentTarget.value as ImportPreview['encoding'] })}
        data={[
          ...(readAs.encoding || preview ? [] : [{ value: '', label: say('encoding_auto') }]),
          ...IMPORT_ENCODINGS.map((one) => ({ value: one, label: one.toUpperCase() })),
        ]}
      />
      <NativeSelect
        label={say('delimiter')}
        value={readAs.delimiter ?? preview?.delimiter ?? ','}
        onChange={(event) => onChange({ delimiter: event.currentTarget.value as ImportPreview['delimiter'] })}
        data={IMPORT_DELIMITERS.map((one) => ({ value: one, label: say(DELIMITER_WORDS[one]) }))}
      />
    </Group>
  );
}

type TableProps = {
  preview: ImportPreview;
  /** The target field of each column. Null: the column is skipped. */
  columns: readonly (string | null)[];
  onChoose: (index: number, target: string) => void;
};

/** Shows each column of the file, with its first values and its target. */
function ColumnTable({ preview, columns, onChoose }: TableProps): ReactNode {
  const say = useTexts(texts);
  const fieldWord = useFieldWord();
  return (
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
          {preview.header.map((heading, index) => (
            <tr key={index}>
              <th scope="row" dir="auto">
                {heading}
              </th>
              <td>
                {preview.rows.slice(0, 2).map((row, at) => (
                  <div key={at} dir="auto" className={classes.example}>
                    {row[index]}
                  </div>
                ))}
              </td>
              <td>
                <NativeSelect
                  aria-label={say('becomes_label', { column: heading })}
                  value={columns[index] ?? ''}
                  onChange={(event) => onChoose(index, event.currentTarget.value)}
                  data={targetsOf(heading, columns[index] ?? null, fieldWord, say('leave_out'))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useFieldWord(): (target: string) => string {
  const say = useTexts(texts);
  return (target) =>
    target.startsWith('attributes.')
      ? say('attribute', { name: target.slice('attributes.'.length) })
      : say(`field_${target as ImportField}`);
}

function targetsOf(heading: string, chosen: string | null, word: (target: string) => string, leaveOut: string) {
  const own = `attributes.${cutText(heading.trim(), 64)}`;
  const attributes = [...new Set([chosen ?? '', own].filter((one) => /^attributes\../.test(one)))];
  return [
    { value: '', label: leaveOut },
    ...[...IMPORT_FIELDS, ...attributes].map((target) => ({ value: target, label: word(target) })),
  ];
}

/**
 * Null: the targets are valid. Empty: no column identifies the person. Another value is the field that is the target of
 * two columns.
 */
function faultOf(columns: readonly (string | null)[]): string | null {
  const twice = columns.find((one, index) => one !== null && columns.indexOf(one) !== index);
  if (twice) return twice;
  return columns.some((one) => one !== null && IDENTIFIERS.includes(one)) ? null : '';
}
