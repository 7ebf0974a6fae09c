import { Stack, TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { KEY_LIMITS, type KeyLimit, type KeyLimits } from '../../../../contract/key-limits.ts';
import { useTexts } from '../../language/texts.tsx';
import { latinDigits } from '../latin-digits.ts';
import { texts, type KeyWord } from './texts.ts';
import classes from './api-keys.module.css';

/** The typed text. An empty field means that the key does not have the limit. */
export type LimitTexts = Record<KeyLimit, string>;
export const NO_LIMITS: LimitTexts = { per_minute: '', per_end_user_per_minute: '', total: '' };

export const textsOf = (limits: KeyLimits | null): LimitTexts => {
  const texts = { ...NO_LIMITS };
  for (const name of KEY_LIMITS) texts[name] = String(limits?.[name] ?? '');
  return texts;
};

const plain = (text: string): string => latinDigits(text.trim());

/** The limits that the user has entered. */
export const limitsOf = (texts: LimitTexts): KeyLimits =>
  Object.fromEntries(
    KEY_LIMITS.filter((name) => plain(texts[name]) !== '').map((name) => [name, Number(plain(texts[name]))]),
  );

export const isLimit = (text: string): boolean => plain(text) === '' || /^[1-9]\d{0,9}$/.test(plain(text));

type FieldProps = Pick<TextInputProps, 'id' | 'value' | 'onChange' | 'error'>;
type Props = {
  inputOf: (name: KeyLimit) => FieldProps;
  /** A campaign key reaches many people with each call. */
  without?: KeyLimit;
};

export function LimitFields({ inputOf, without }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Stack gap="sm">
      {KEY_LIMITS.filter((name) => name !== without).map((name) => (
        <TextInput
          key={name}
          label={say(`limit_${name}`)}
          description={say(`limit_${name}_hint` as KeyWord)}
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          {...inputOf(name)}
        />
      ))}
    </Stack>
  );
}

/** The limits are closed at first, because few keys need them. The user opens the limits, or a limit is entered. */
export function OptionalLimits(props: Props): ReactNode {
  const say = useTexts(texts);
  const fields = KEY_LIMITS.map((name) => props.inputOf(name));
  const [isOpen, setOpen] = useState(fields.some(({ value }) => value !== ''));
  return (
    <details
      className={classes.optional}
      open={isOpen || fields.some(({ error }) => Boolean(error))}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{say('limits_optional')}</summary>
      <LimitFields {...props} />
    </details>
  );
}

/** Shows the limits of a key in words, with the remaining calls of its total. */
export function Limits({ item }: { item: KeyRecord }): ReactNode {
  const say = useTexts(texts);
  const { limits, remaining } = item;
  if (limits === null) return say('limits_none');
  const number = new Intl.NumberFormat(say.language);
  return (
    <Stack gap={2}>
      {KEY_LIMITS.filter((name) => limits[name] !== undefined).map((name) => (
        <span key={name}>
          {say(`limit_${name}_of`, { number: number.format(limits[name]!) })}
          {name === 'total' && remaining !== null && <> · {say('remaining', { count: remaining })}</>}
        </span>
      ))}
    </Stack>
  );
}
