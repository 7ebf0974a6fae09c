import { Button, Fieldset, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  type Expectation,
  MAX_CASE_TURNS,
  MAX_RUBRIC_CHARACTERS,
  type TestCase,
} from '../../../../contract/dashboard/test-cases.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import type { Problem } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { testTexts } from './texts.ts';

type Props = {
  opened: boolean;
  /** Null: an empty case. */
  item: TestCase | null;
  /** True: the case is not stored yet, although it has texts. */
  isNew?: boolean;
  /** The source of the case. If the case has a source, its last turn is the important turn. */
  lead?: string;
  busy: boolean;
  problem: Problem | null;
  onSave: (item: TestCase) => void;
  onClose: () => void;
};
type Turn = TestCase['turns'][number];

/** Edits a case as a form. The form keeps parts that only a file can define, and shows their names. */
export function CaseDialog({ opened, item, isNew = item === null, ...props }: Props): ReactNode {
  const say = useTexts(testTexts);
  return (
    <Dialog
      opened={opened}
      onClose={props.onClose}
      closeOnClickOutside={false}
      size={640}
      title={say(isNew ? 'new_title' : 'edit_title')}
    >
      {opened && <Form item={item} {...props} />}
    </Dialog>
  );
}

function Form({ item, lead, busy, problem, onSave, onClose }: Omit<Props, 'opened' | 'isNew'>): ReactNode {
  const say = useTexts(testTexts);
  const [name, setName] = useState(item?.name ?? '');
  const [locale, setLocale] = useState(item?.locale ?? '');
  const [turns, setTurns] = useState<Turn[]>(item?.turns ?? [{ expect: {} }]);
  const change = (at: number, turn: Turn): void => setTurns(turns.with(at, turn));
  const save = (): void => {
    const { locale: _before, ...rest } = item ?? { name: '', turns: [] };
    onSave({ ...rest, ...(locale.trim() !== '' && { locale: locale.trim() }), name: name.trim(), turns });
  };
  const fields = turns.map((turn, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- turns are only added and removed at the end
    <Fieldset key={at} legend={say('turn', { number: at + 1 })}>
      <TurnFields turn={turn} isFirst={at === 0} onChange={(next) => change(at, next)} />
      {turns.length > 1 && at === turns.length - 1 && (
        <Button mt="xs" size="compact-sm" variant="subtle" color="gray" onClick={() => setTurns(turns.slice(0, -1))}>
          {say('remove_turn')}
        </Button>
      )}
    </Fieldset>
  ));
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      act={say('save')}
      busy={busy}
      problem={problem}
      onCancel={onClose}
    >
      {lead !== undefined && (
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
      )}
      <TextInput
        label={say('name')}
        required
        maxLength={MAX_NAME_CHARACTERS}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        data-autofocus
      />
      <TextInput
        label={say('language')}
        description={say('language_hint')}
        dir="ltr"
        w={220}
        value={locale}
        onChange={({ currentTarget: { value } }) => setLocale(value)}
      />
      {lead !== undefined && fields.length > 1 ? (
        <>
          <details>
            <summary>{say('earlier_turns', { count: fields.length - 1 })}</summary>
            <Stack mt="xs">{fields.slice(0, -1)}</Stack>
          </details>
          {fields.at(-1)}
        </>
      ) : (
        fields
      )}
      {turns.length < MAX_CASE_TURNS && (
        <Button variant="default" onClick={() => setTurns([...turns, { expect: {} }])}>
          {say('add_turn')}
        </Button>
      )}
    </DialogForm>
  );
}

const ENDS = ['any', 'waits', 'hands_off', 'completes', 'opts_out', 'unknown'] as const;
type End = (typeof ENDS)[number];
const END_EXPECTS: Record<End, Expectation> = {
  any: {},
  waits: { hands_off: false, completes: false },
  hands_off: { hands_off: true },
  completes: { completes: true },
  opts_out: { opts_out: true },
  unknown: { knows: false },
};
const END_FIELDS = ['hands_off', 'completes', 'opts_out', 'knows'] as const;

const endOf = (expect: Expectation): End => {
  if (expect.hands_off) return 'hands_off';
  if (expect.completes) return 'completes';
  if (expect.opts_out) return 'opts_out';
  if (expect.knows === false) return 'unknown';
  return expect.hands_off === false ? 'waits' : 'any';
};

const EDITED: ReadonlySet<string> = new Set(['says', 'says_not', 'cites', 'rubric', ...END_FIELDS]);

function TurnFields({
  turn,
  isFirst,
  onChange,
}: {
  turn: Turn;
  isFirst: boolean;
  onChange: (turn: Turn) => void;
}): ReactNode {
  const say = useTexts(testTexts);
  const { say: message, expect = {} } = turn;
  const more = Object.keys(expect).filter((name) => !EDITED.has(name));
  const list = (field: 'says' | 'says_not' | 'cites'): ReactNode => (
    <TagsInput
      label={say(field)}
      description={say('list_hint')}
      splitChars={[]}
      acceptValueOnBlur
      value={listOf(expect[field])}
      onChange={(values) => {
        const { [field]: _before, ...rest } = expect;
        onChange({ ...turn, expect: values.length > 0 ? { ...rest, [field]: values } : rest });
      }}
    />
  );
  return (
    <Stack gap="sm">
      <Textarea
        label={say('person_says')}
        description={isFirst ? say('person_opens') : undefined}
        required={!isFirst}
        autosize
        dir="auto"
        value={message ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const { say: _before, ...rest } = turn;
          onChange(value === '' ? rest : { ...rest, say: value });
        }}
      />
      {list('says')}
      {list('says_not')}
      {list('cites')}
      <Select
        label={say('ends')}
        allowDeselect={false}
        value={endOf(expect)}
        data={ENDS.map((value) => ({ value, label: say(`ends_${value}`) }))}
        onChange={(value) => {
          const filled = Object.fromEntries(
            Object.entries(expect).filter(([name]) => !END_FIELDS.some((field) => field === name)),
          ) as Expectation;
          onChange({ ...turn, expect: { ...filled, ...END_EXPECTS[value as End] } });
        }}
      />
      <RubricField turn={turn} onChange={onChange} />
      {more.length > 0 && (
        <Text size="xs" c="dimmed">
          {say.rich('more_checked', { names: <code>{more.join(', ')}</code> })}
        </Text>
      )}
    </Stack>
  );
}

/** If a file sets a model as judge, the form keeps it. */
function RubricField({ turn, onChange }: { turn: Turn; onChange: (turn: Turn) => void }): ReactNode {
  const say = useTexts(testTexts);
  const { rubric, ...rest } = turn.expect ?? {};
  const named = typeof rubric === 'object' ? rubric : null;
  return (
    <Textarea
      label={say('rubric')}
      description={named ? say('rubric_judge', { model: `${named.provider}/${named.model}` }) : say('rubric_hint')}
      autosize
      dir="auto"
      maxLength={MAX_RUBRIC_CHARACTERS}
      value={named?.text ?? (typeof rubric === 'string' ? rubric : '')}
      onChange={({ currentTarget: { value } }) => {
        const next = value === '' ? {} : { rubric: named ? { ...named, text: value } : value };
        onChange({ ...turn, expect: { ...rest, ...next } });
      }}
    />
  );
}

const listOf = (value: string | number | (string | number)[] | undefined): string[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
