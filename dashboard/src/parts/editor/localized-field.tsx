import { ActionIcon, Input, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import type { LocalizedText } from '../../../../contract/agents.ts';
import { OFFERED_LANGUAGES } from '../../language/language-list.ts';
import { useTexts } from '../../language/texts.tsx';
import { VariableTextarea } from '../variable-textarea.tsx';
import { texts } from './texts.ts';
import { useFocus } from '../use-focus.ts';
import { useEditor } from './editor.ts';
import classes from './localized-field.module.css';

const MAX_CHARACTERS = 4000;

type Props = {
  label: string;
  hint?: ReactNode;
  value: LocalizedText | undefined;
  onChange: (value: LocalizedText | undefined) => void;
  /** The JSON pointer of the field below the definition. */
  pointer: string;
  required?: boolean;
  rows?: number;
};

/**
 * Edits one text in any number of languages. Small buttons select the language, and the text of this language is below
 * them.
 */
export function LocalizedField({ label, hint, value = {}, onChange, pointer, required, rows = 2 }: Props): ReactNode {
  const { fault, faulty, readOnly, variables = [] } = useEditor();
  const id = useId();
  const nameOf = useLanguageName();
  const given = Object.keys(value);
  const shown = ['default', ...given.filter((one) => one !== 'default')];
  const [picked, setPicked] = useState('default');
  const focusOn = useFocus();
  const broken = shown.find((one) => faulty(`${pointer}/${one}`));
  const current = shown.includes(picked) ? picked : 'default';
  const error =
    fault(`${pointer}/${current}`) ??
    fault(pointer) ??
    (broken && `${nameOf(broken)}: ${fault(`${pointer}/${broken}`)}`);
  return (
    <Input.Wrapper label={label} description={hint} required={required} error={error} labelProps={{ htmlFor: id }}>
      <Languages
        of={label}
        shown={shown}
        current={current}
        isFaulty={(one) => faulty(`${pointer}/${one}`)}
        onPick={setPicked}
        onAdd={(one) => {
          onChange({ ...value, [one]: '' });
          setPicked(one);
        }}
        onRemove={() => {
          const { [current]: _, ...rest } = value;
          onChange(Object.keys(rest).length === 0 ? undefined : rest);
          // The pressed button disappears with its language.
          focusOn(() => document.getElementById(id));
        }}
      />
      <VariableTextarea
        id={id}
        aria-label={current === 'default' ? label : `${label} (${nameOf(current)})`}
        value={value[current] ?? ''}
        onText={(text) => onChange({ ...value, [current]: text })}
        variables={variables}
        dir="auto"
        lang={current === 'default' ? undefined : current}
        autosize
        minRows={rows}
        maxRows={10}
        maxLength={MAX_CHARACTERS}
        readOnly={readOnly}
        error={Boolean(error)}
      />
    </Input.Wrapper>
  );
}

type LanguagesProps = {
  /** The name of the field. */
  of: string;
  shown: readonly string[];
  current: string;
  isFaulty: (language: string) => boolean;
  onPick: (language: string) => void;
  onAdd: (language: string) => void;
  /** Removes the current language. */
  onRemove: () => void;
};

function Languages({ of, shown, current, isFaulty, onPick, onAdd, onRemove }: LanguagesProps): ReactNode {
  const say = useTexts(texts);
  const { readOnly } = useEditor();
  const nameOf = useLanguageName();
  const addable = OFFERED_LANGUAGES.filter((one) => !shown.includes(one)).map((one) => ({
    value: one,
    label: nameOf(one),
  }));
  return (
    <div className={classes.languages} role="group" aria-label={say('texts_of', { label: of })}>
      {(shown.length > 1 || !readOnly) &&
        shown.map((one) => (
          <button
            key={one}
            type="button"
            className={classes.language}
            aria-pressed={one === current}
            data-fault={isFaulty(one) || undefined}
            onClick={() => onPick(one)}
          >
            {nameOf(one)}
          </button>
        ))}
      {!readOnly && current !== 'default' && (
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={say('remove_language', { language: nameOf(current) })}
          onClick={onRemove}
        >
          <IconX size={14} />
        </ActionIcon>
      )}
      {!readOnly && (
        <Select
          aria-label={`${say('add_language')}: ${of}`}
          placeholder={say('add_language')}
          size="xs"
          searchable
          value={null}
          data={addable}
          className={classes.add}
          onChange={(one) => one && onAdd(one)}
        />
      )}
    </div>
  );
}

function useLanguageName(): (tag: string) => string {
  const say = useTexts(texts);
  const names = new Intl.DisplayNames(say.language, { type: 'language', fallback: 'code' });
  return (tag) => (tag === 'default' ? say('language_default') : (names.of(tag) ?? tag));
}
