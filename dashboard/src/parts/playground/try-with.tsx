import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { OFFERED_LANGUAGES } from '../../language/language-list.ts';
import { useTexts } from '../../language/texts.tsx';
import type { CallData } from './call-data.ts';
import { texts } from './texts.ts';
import classes from './playground.module.css';

const MAX_VALUE = 2_000;

type Props = {
  value: CallData;
  names: readonly string[];
  /** True: the agent has a tool that needs an approval. */
  asks: boolean;
  onChange: (value: CallData) => void;
};

/**
 * Sets the language, person and variables of the test chat, which a backend would otherwise send. A change applies from
 * the next turn on.
 */
export function TryWith({ value, names, asks, onChange }: Props): ReactNode {
  const say = useTexts(texts);
  const languages = new Intl.DisplayNames(say.language, { type: 'language', fallback: 'code' });
  return (
    <details className={classes.with}>
      <summary>{say('with')}</summary>
      <div className={classes.fields}>
        <NativeSelect
          size="xs"
          label={say('with_language')}
          value={value.locale}
          data={OFFERED_LANGUAGES.map((one) => ({ value: one, label: languages.of(one) ?? one }))}
          onChange={(event) => onChange({ ...value, locale: event.currentTarget.value })}
        />
        <TextInput
          size="xs"
          label={say('with_name')}
          autoComplete="off"
          maxLength={MAX_VALUE}
          value={value.name}
          onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
        />
        {asks && (
          <NativeSelect
            size="xs"
            label={say('approvals')}
            value={value.denies ? 'deny' : 'approve'}
            data={(['approve', 'deny'] as const).map((one) => ({ value: one, label: say(`approvals_${one}`) }))}
            onChange={(event) => onChange({ ...value, denies: event.currentTarget.value === 'deny' })}
          />
        )}
        {names.map((name) => (
          <TextInput
            key={name}
            size="xs"
            label={<code>{name}</code>}
            autoComplete="off"
            maxLength={MAX_VALUE}
            value={value.values[name] ?? ''}
            onChange={(event) => onChange({ ...value, values: { ...value.values, [name]: event.currentTarget.value } })}
          />
        ))}
      </div>
      <p>{say(names.length === 0 ? 'with_none' : 'with_hint')}</p>
    </details>
  );
}
