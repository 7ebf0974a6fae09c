import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

type Props = { label: string; at: string | undefined; onChange: (at: string | undefined) => void };

/** While a year is typed, the browser's field has the years 2, 20 and 202, which are not meant. */
const FIRST_MEANT = Date.parse('2000-01-01T00:00:00Z');

/** A moment of one's own time zone, in the browser's own field. */
export function MomentField({ label, at, onChange }: Props): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      leftSection={<small>{label}</small>}
      leftSectionWidth={48}
      w={236}
      value={typed ?? local(at)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const moment = Date.parse(value);
        if (value === '') onChange(undefined);
        else if (moment >= FIRST_MEANT) onChange(new Date(moment).toISOString());
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** In the form of the field, which knows no time zone. */
function local(at: string | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
