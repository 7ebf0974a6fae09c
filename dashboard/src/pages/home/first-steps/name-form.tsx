import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import classes from './first-steps.module.css';

type Props = {
  label: string;
  initial: string;
  maxLength: number;
  act: string;
  busy: boolean;
  onSubmit: (name: string) => void;
  /** The content below the field, with other choices of this step. */
  children?: ReactNode;
};

/** The form has one field and one button, which is enough for a first agent or trigger. */
export function NameForm({ label, initial, maxLength, act, busy, onSubmit, children }: Props): ReactNode {
  const say = useTexts(common);
  const [name, setName] = useState(initial);
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setMissing(name.trim() === '');
    if (name.trim() !== '') onSubmit(name.trim());
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label={label}
        value={name}
        maxLength={maxLength}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
        error={missing && say('required')}
      />
      <Button type="submit" loading={busy}>
        {act}
      </Button>
      {children}
    </form>
  );
}
