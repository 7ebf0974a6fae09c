import { TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { clock, day } from '../language/format.ts';
import { useLanguage } from '../language/texts.tsx';
import classes from './moment-field.module.css';

type Props = Omit<TextInputProps, 'type' | 'value' | 'onChange' | 'onBlur'> & {
  at: string | undefined;
  onChange: (at: string | undefined) => void;
};

/** While the user types a year, the browser's field returns the years 2, 20 and 202, which are ignored. */
const FIRST_MEANT = Date.parse('2000-01-01T00:00:00Z');

/**
 * Edits a time in the user's time zone, with the browser's own field. `onChange` gets the absolute time. The browser
 * decides the language of the field. If the page has another language, the time is also shown as text.
 */
export function MomentField({ at, onChange, description, ...rest }: Props): ReactNode {
  const language = useLanguage();
  const isForeign = at !== undefined && rest.label !== undefined && !navigator.language.startsWith(language);
  const inWords = isForeign && `${day(language, at)} · ${clock(language, at)}`;
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...rest}
      description={
        description || inWords ? (
          <>
            {description}
            {inWords && <span className={classes.words}>{inWords}</span>}
          </>
        ) : undefined
      }
      type="datetime-local"
      value={typed ?? localTime(at)}
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

/** Returns a time in the format of the field, which has no time zone. */
function localTime(at: string | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
