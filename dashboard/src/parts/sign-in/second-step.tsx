import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { SecondFactorAsked } from '../../../../contract/dashboard/second-factor.ts';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { latinDigits } from '../latin-digits.ts';
import { useCheckedForm } from '../use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { FrontForm } from './front-form.tsx';
import { texts } from './texts.ts';

/** Handles the response of every sign-in method: signs in, or stores the challenge of the second step. */
export function useSecondStep() {
  const [asked, setAsked] = useState<SecondFactorAsked | null>(null);
  const take = (answer: SessionView | SecondFactorAsked, enter: (session: SessionView) => void): void => {
    if ('challenge' in answer) setAsked(answer);
    else enter(answer);
  };
  return { asked, take, forget: () => setAsked(null) };
}

type Props = { asked: SecondFactorAsked; onEntered: (session: SessionView) => void; onAgain: () => void };

/** The page between password and session asks for a code of the app, a recovery code, or the passkey. */
export function SecondStep({ asked, onEntered, onAgain }: Props): ReactNode {
  const say = useTexts(texts);
  const signIn = useAct('signInWithCode', { refresh: [] });
  const [withRecovery, setWithRecovery] = useState(!asked.authenticator);
  const form = useCheckedForm({ code: '' }, (common) => ({
    code: (value) => (value.trim() === '' ? common('required') : null),
  }));
  const submit = form.submit(({ code }) =>
    signIn.mutate(
      { body: { challenge: asked.challenge, code: latinDigits(code.trim()) } },
      {
        onSuccess: onEntered,
        onError: (problem) => {
          if (problem.code !== 'second_factor_failed') return;
          form.setFieldValue('code', '');
          form.focus('code');
        },
      },
    ),
  );
  const other = (): void => {
    setWithRecovery(!withRecovery);
    signIn.reset();
    form.setFieldValue('code', '');
    form.focus('code');
  };
  const hint = withRecovery ? (asked.authenticator ? 'recovery_hint' : 'passkey_hint') : 'code_hint';
  return (
    <FrontPage title={say('second_step')} description={say(hint)}>
      <Stack>
        {asked.passkey && <PasskeyButton onEntered={onEntered} other="code" />}
        <FrontForm onSubmit={submit} problem={signIn.error} act={say('sign_in')} busy={signIn.isPending}>
          <TextInput
            label={say(withRecovery ? 'recovery_code' : 'code')}
            autoComplete="one-time-code"
            inputMode={withRecovery ? 'text' : 'numeric'}
            classNames={{ input: 'ltr' }}
            maxLength={64}
            autoFocus={asked.authenticator}
            {...form.getInputProps('code')}
          />
        </FrontForm>
        {asked.authenticator && (
          <Button variant="subtle" onClick={other}>
            {say(withRecovery ? 'use_app' : 'use_recovery')}
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onAgain}>
          {say('begin_again')}
        </Button>
      </Stack>
    </FrontPage>
  );
}
