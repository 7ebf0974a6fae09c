import { PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../../../api/client.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { latinDigits } from '../../../parts/latin-digits.ts';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useSession } from '../../../session/session.ts';
import { atPassword } from './at-password.ts';
import { factorTexts } from './factor-texts.ts';

type Given = { password: string; code: string; name: string };
type Props = {
  words: string;
  act: string;
  busy: boolean;
  problem: Problem | null;
  /** Another required field besides the password. */
  also?: 'code' | 'name';
  onAct: (given: Given, refused: (problem: Problem) => void) => void;
  onCancel: () => void;
};

/**
 * The form requires the password again before a change of the sign-in methods. The form is the only child of its
 * dialog.
 */
export function PasswordForm({ words, act, busy, problem, also, onAct, onCancel }: Props): ReactNode {
  const say = useTexts(factorTexts);
  const { user } = useSession();
  const form = useCheckedForm({ name: '', password: '', code: '' }, (common) => ({
    name: (value) => (also === 'name' && value.trim() === '' ? common('required') : null),
    password: (value) => (value === '' ? common('required') : null),
    code: (value) => (also === 'code' && value.trim() === '' ? common('required') : null),
  }));
  const atField = (refusal: Problem): Problem => atPassword(refusal, 'password', say('password_wrong'));
  const submit = form.submit(({ name, password, code }) =>
    onAct({ name: name.trim(), password, code: latinDigits(code.trim()) }, (refusal) => form.place(atField(refusal))),
  );
  const elsewhere = form.unplaced(problem && atField(problem));
  return (
    <DialogForm onSubmit={submit} act={act} busy={busy} problem={elsewhere} onCancel={onCancel}>
      <Stack>
        <Text size="sm">{words}</Text>
        {also === 'name' && (
          <TextInput
            label={say('passkey_name')}
            description={say('passkey_name_hint')}
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordInput
          label={say('current_password')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': say('show_password') }}
          data-autofocus={also === 'name' ? undefined : true}
          {...form.getInputProps('password')}
        />
        {also === 'code' && (
          <TextInput
            label={say('code_or_recovery')}
            autoComplete="one-time-code"
            classNames={{ input: 'ltr' }}
            maxLength={64}
            {...form.getInputProps('code')}
          />
        )}
      </Stack>
    </DialogForm>
  );
}
