import { Anchor, Button, PasswordInput, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { useEnter } from '../../parts/sign-in/use-enter.ts';
import { OrganizationProblem } from './organization-problem.tsx';
import { texts as organizationTexts } from './organization-texts.ts';
import { PasskeyButton } from '../../parts/sign-in/passkey-button.tsx';
import { SecondStep, useSecondStep } from '../../parts/sign-in/second-step.tsx';
import { EmailField, FrontForm } from '../../parts/sign-in/front-form.tsx';
import { texts } from '../../parts/sign-in/texts.ts';

const route = getRouteApi('/front/sign-in');

export function SignInPage(): ReactNode {
  const say = useTexts(texts);
  const sayOrganization = useTexts(organizationTexts);
  const { back, problem } = route.useSearch();
  const entered = useEnter();
  const second = useSecondStep();
  const signIn = useAct('signIn', { refresh: [] });
  const form = useCheckedForm({ email: '', password: '' }, (common) => ({
    email: (value) => (value.trim() === '' ? common('required') : null),
    password: (value) => (value === '' ? common('required') : null),
  }));

  const submit = form.submit(({ email, password }) =>
    signIn.mutate(
      { body: { email: email.trim(), password } },
      {
        onSuccess: (answer) => second.take(answer, (session) => void entered(session, back)),
        onError: ({ code }) => {
          // If the server did not respond, the password may be right, so it stays in the field.
          if (code !== 'sign_in_failed') return;
          form.setFieldValue('password', '');
          form.focus('password');
        },
      },
    ),
  );
  if (second.asked)
    return (
      <SecondStep
        asked={second.asked}
        onEntered={(session) => void entered(session, back)}
        onAgain={() => {
          second.forget();
          form.setFieldValue('password', '');
        }}
      />
    );
  return (
    <FrontPage title={say('sign_in')} description={say(back ? 'signed_out' : 'sign_in_hint')}>
      <Stack>
        <FrontForm onSubmit={submit} problem={signIn.error} act={say('sign_in')} busy={signIn.isPending}>
          {!signIn.error && <OrganizationProblem code={problem} />}
          <EmailField autoFocus {...form.getInputProps('email')} />
          <PasswordInput
            label={say('password')}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': say('show_password') }}
            {...form.getInputProps('password')}
          />
        </FrontForm>
        <PasskeyButton onEntered={(session) => void entered(session, back)} other="password" />
        <Button
          variant="default"
          fullWidth
          renderRoot={(props) => <Link to="/sign-in/organization" search={{ back }} {...props} />}
        >
          {sayOrganization('with_organization')}
        </Button>
        <Anchor size="sm" w="fit-content" renderRoot={(props) => <Link to="/forgot" {...props} />}>
          {say('forgotten')}
        </Anchor>
      </Stack>
    </FrontPage>
  );
}
