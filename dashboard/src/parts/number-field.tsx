import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { latinDigits } from './latin-digits.ts';

type Props = Omit<NumberInputProps, 'value' | 'onChange'> & {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
};

/** What is typed on the way to a number, as the "0." of 0.7, stays in the field; told is the number that it means. */
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

/** Before the field drops what it takes for letters. React sees the change, since its own setter is passed by. */
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
