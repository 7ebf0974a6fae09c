import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';

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
      {...rest}
    />
  );
}

const numberOf = (typed: number | string): number | undefined =>
  typed === '' || Number.isNaN(Number(typed)) ? undefined : Number(typed);
