import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { latinDigits } from './latin-digits.ts';

type Props = Omit<NumberInputProps, 'value' | 'onChange'> & {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
};

/** Incomplete input, such as the "0." of 0.7, stays in the field. `onChange`: called with the number in the field. */
export function NumberField({ value, onChange, ...rest }: Props): ReactNode {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        onChange(numberOf(next));
      }}
      onInputCapture={toLatin}
      {...rest}
    />
  );
}

/**
 * Converts the digits before the field removes them as letters. The native setter is used, so that React notices the
 * change.
 */
function toLatin({ target }: FormEvent): void {
  if (!(target instanceof HTMLInputElement)) return;
  const { value, selectionStart } = target;
  const latin = latinDigits(value);
  if (latin === value) return;
  setValue.call(target, latin);
  target.setSelectionRange(selectionStart, selectionStart);
}
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;

const numberOf = (typed: number | string): number | undefined =>
  typed === '' || Number.isNaN(Number(typed)) ? undefined : Number(typed);
