import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { Problem } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { texts } from './texts.ts';

type Props = {
  onSubmit: (event: FormEvent) => void;
  /** The message that belongs to no field (use-checked-form.ts). */
  problem: Problem | null;
  children: ReactNode;
  /** The text of the submit button. */
  act: string;
  busy: boolean;
};

/** The form of a page outside of the shell. */
export function FrontForm({ onSubmit, problem, children, act, busy }: Props): ReactNode {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        {problem && <ProblemAlert problem={problem} />}
        {children}
        <Button type="submit" size="md" loading={busy} fullWidth mt="xs">
          {act}
        </Button>
      </Stack>
    </form>
  );
}

/** The props that a checked form passes to an input. */
type FieldProps = {
  id: string;
  value: string;
  error: string | null;
  onChange: (event: { currentTarget: { value: string } }) => void;
  autoFocus?: boolean;
};

export function EmailField({ label, ...props }: FieldProps & { label?: string }): ReactNode {
  const say = useTexts(texts);
  return (
    <TextInput
      label={label ?? say('email')}
      type="email"
      autoComplete="username"
      inputMode="email"
      classNames={{ input: 'ltr' }}
      {...props}
    />
  );
}

/**
 * `email`: the address of the account if no field contains it, so that a password manager stores address and password
 * together.
 */
export function NewPasswordField({ email, ...props }: FieldProps & { email?: string }): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      {email !== undefined && <input type="hidden" name="username" autoComplete="username" value={email} />}
      <PasswordInput
        label={say('new_password')}
        description={say('password_hint')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': say('show_password') }}
        {...props}
      />
    </>
  );
}
