import { ActionIcon, Badge, Button, Checkbox, Select, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { TriggerRecord } from '../../../../contract/dashboard/triggers.ts';
import { VARIABLE_NAMES, VARIABLE_KINDS, type VariableKind } from './variable-kinds.ts';
import type { VariableDeclaration } from '../../../../contract/triggers.ts';
import { readOptions, useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { unplaced } from '../../parts/use-checked-form.ts';
import { useFocus } from '../../parts/use-focus.ts';
import { useNewerDraft } from '../../parts/use-newer-draft.ts';
import { useStoredDraft } from '../../parts/use-stored-draft.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';
import classes from './triggers.module.css';

/** A declaration during editing, whose default value is still text. */
type Row = { name: string; type: VariableKind; required: boolean; default: string; description: string };
type Faults = Record<string, string>;
const MAX_VARIABLES = 100;

const hasField = ({ pointer }: { pointer: string }): boolean => /^\/variables\/\d+\//.test(pointer);

export function VariablesCard({ item }: { item: TriggerRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const may = useMay('member');
  const { rows, edited, overtaken, put, discard, faults, isBusy, update, submit } = useVariables(item, !may);
  const problem = unplaced(update.error, hasField);
  return (
    <form onSubmit={submit} noValidate>
      <Card
        title={say('variables')}
        description={say.rich('variables_hint', { braces: <code>{'{{order_id}}'}</code> })}
        aside={edited && <Badge color="orange">{say('unsaved')}</Badge>}
        footer={
          may &&
          edited && (
            <>
              <Button variant="default" onClick={discard}>
                {sayCommon('cancel')}
              </Button>
              <Button type="submit" loading={isBusy}>
                {sayCommon('save')}
              </Button>
            </>
          )
        }
      >
        {rows.length === 0 ? (
          <Text size="sm" c="dimmed" mb="md">
            {say('variables_empty')}
          </Text>
        ) : (
          <>
            <Headings />
            <ul className={classes.variables}>
              {rows.map((row, index) => (
                <Variable
                  key={index}
                  row={row}
                  index={index}
                  faults={faults}
                  readOnly={!may}
                  onChange={(part) => put(rows.map((one, other) => (other === index ? { ...one, ...part } : one)))}
                  onRemove={() => put(rows.filter((_, other) => other !== index))}
                />
              ))}
            </ul>
          </>
        )}
        {overtaken && (
          <Text size="sm" c="orange.9" role="alert" mb="md">
            {say('overtaken')}
          </Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
        {may && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={rows.length >= MAX_VARIABLES}
            onClick={() => put([...rows, { name: '', type: 'string', required: false, default: '', description: '' }])}
          >
            {say('add_variable')}
          </Button>
        )}
      </Card>
    </form>
  );
}

type Edited = { base: string; rows: Row[] };

/** Holds the declarations during editing, until they are saved or discarded. */
function useVariables(item: TriggerRecord, readOnly: boolean) {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const client = useQueryClient();
  /** `base`: the stored declarations at the start of editing. */
  const [edited, setEdited] = useStoredDraft<Edited>(`parley.trigger-variables.${item.id}`, readOnly);
  const editedSince = useNewerDraft(edited);
  const [isChecking, setIsChecking] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const update = useAct('updateTrigger', { refresh: ['readTrigger', 'listTriggers'] });
  const params = { org_id, trigger_id: item.id };
  const stored = JSON.stringify(item.variables);
  const rows = edited?.rows ?? item.variables.map(rowOf);
  const overtaken = edited !== null && edited.base !== stored && !update.isPending;
  const save = async (variables: VariableDeclaration[]): Promise<void> => {
    setIsChecking(true);
    // The page may not know yet that another member saved. Then the page shows it first, and the next save replaces it.
    const options = { ...readOptions('readTrigger', { params }), staleTime: 0 };
    const newest = overtaken ? null : await client.fetchQuery(options).catch(() => null);
    setIsChecking(false);
    if (edited !== null && newest !== null && JSON.stringify(newest.variables) !== edited.base) return;
    update.mutate(
      { params, body: { variables } },
      {
        onSuccess: (saved) => {
          // Text that the user types while the declarations are saved is not saved yet.
          const later = editedSince();
          setEdited(later && { ...later, base: JSON.stringify(saved.variables) });
          notifyDone(say('variables_saved'));
        },
        onError: ({ faults: refused }) =>
          show(
            Object.fromEntries(
              refused.filter(hasField).map(({ pointer, detail }) => [pointer.replace('/variables/', ''), detail]),
            ),
          ),
      },
    );
  };
  const focusOn = useFocus();
  const show = (found: Faults): void => {
    setFaults(found);
    const first = Object.keys(found)[0];
    if (first) focusOn(() => document.getElementById(`variable-${first.replace('/', '-')}`));
  };
  return {
    rows,
    edited: edited !== null,
    overtaken,
    isBusy: isChecking || update.isPending,
    faults,
    update,
    put: (next: Row[]): void => {
      setEdited({ base: edited?.base ?? stored, rows: next });
      setFaults({});
    },
    discard: (): void => {
      setEdited(null);
      setFaults({});
      update.reset();
    },
    submit: (event: FormEvent): void => {
      event.preventDefault();
      const found = faultsOf(rows, say('bad_name'), say('bad_default'));
      show(found);
      if (Object.keys(found).length === 0) void save(rows.map(declarationOf));
    },
  };
}

/** The headings are for a wide screen. Each field has its own label for a screen reader. */
function Headings(): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.head} aria-hidden="true">
      <span>{say('head_name')}</span>
      <span>{say('head_type')}</span>
      <span style={{ minWidth: 92 }}>{say('variable_required')}</span>
      <span>{say('head_default')}</span>
      <span>{say('head_description')}</span>
      <span />
    </div>
  );
}

type VariableProps = {
  row: Row;
  index: number;
  faults: Faults;
  readOnly: boolean;
  onChange: (part: Partial<Row>) => void;
  onRemove: () => void;
};

function Variable({ row, index, faults, readOnly, onChange, onRemove }: VariableProps): ReactNode {
  const say = useTexts(texts);
  const number = index + 1;
  const fault = (name: string): string | undefined => faults[`${index}/${name}`];
  return (
    <li className={classes.variable}>
      <TextInput
        id={`variable-${index}-name`}
        aria-label={say('variable_name', { number })}
        placeholder="order_id"
        className={classes.mono}
        maxLength={64}
        autoComplete="off"
        readOnly={readOnly}
        value={row.name}
        error={fault('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Select
        aria-label={say('variable_type', { number })}
        allowDeselect={false}
        readOnly={readOnly}
        value={row.type}
        data={VARIABLE_KINDS.map((value) => ({ value, label: say(`type_${value}`) }))}
        onChange={(type) => type && onChange({ type })}
      />
      <div className={classes.required}>
        <Checkbox
          label={say('variable_required')}
          disabled={readOnly}
          checked={row.required}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
      </div>
      <TextInput
        id={`variable-${index}-default`}
        aria-label={say('variable_default', { number })}
        placeholder={row.type === 'string' ? '"…"' : '—'}
        className={classes.mono}
        autoComplete="off"
        readOnly={readOnly}
        value={row.default}
        error={fault('default')}
        onChange={(event) => onChange({ default: event.currentTarget.value })}
      />
      <TextInput
        aria-label={say('variable_description', { number })}
        placeholder={say('head_description')}
        dir="auto"
        maxLength={500}
        autoComplete="off"
        readOnly={readOnly}
        value={row.description}
        error={fault('description')}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      {!readOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={say('remove_variable', { number })}
          onClick={onRemove}
        >
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </li>
  );
}

const rowOf = (one: VariableDeclaration): Row => ({
  name: one.name,
  type: one.type,
  required: one.required ?? false,
  default: one.default === undefined ? '' : JSON.stringify(one.default),
  description: one.description ?? '',
});

const declarationOf = (row: Row): VariableDeclaration => ({
  name: row.name,
  type: row.type,
  ...(row.required && { required: true }),
  ...(row.default.trim() !== '' && { default: JSON.parse(row.default) as unknown }),
  ...(row.description.trim() !== '' && { description: row.description.trim() }),
});

function faultsOf(rows: readonly Row[], badName: string, badDefault: string): Faults {
  const faults: Faults = {};
  rows.forEach((row, index) => {
    if (!VARIABLE_NAMES.test(row.name)) faults[`${index}/name`] = badName;
    try {
      declarationOf(row);
    } catch {
      faults[`${index}/default`] = badDefault;
    }
  });
  return faults;
}
