import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { FrontLoading } from '../../shell/front-loading.tsx';
import { emailFault } from '../../parts/sign-in/field-faults.ts';
import { EmailField, FrontForm } from '../../parts/sign-in/front-form.tsx';
import { texts } from '../../parts/sign-in/texts.ts';

/**
 * On this page, a person requests a password link by mail. If the installation sends no mail, the page explains how to
 * get a link.
 */
export function ForgotPage(): ReactNode {
  const say = useTexts(texts);
  const options = useRead('readSignInOptions', {}, { staleTime: Infinity });
  const forgot = useAct('forgotPassword', { refresh: [] });
  if (!options.data) return <FrontLoading read={options} title={say('forgotten')} />;
  const toSignIn = <Anchor renderRoot={(props) => <Link to="/sign-in" {...props} />}>{say('back_to_sign_in')}</Anchor>;
  if (!options.data.mail || forgot.isSuccess)
    return (
      <FrontPage title={say(forgot.isSuccess ? 'forgot_sent' : 'forgotten')}>
        <Stack>
          <Text role="status">
            {forgot.isSuccess
              ? say('forgot_sent_hint')
              : say.rich('forgotten_hint', { command: <code>./parley reset-password EMAIL</code> })}
          </Text>
          {toSignIn}
        </Stack>
      </FrontPage>
    );
  return (
    <FrontPage title={say('forgotten')} description={say('forgot_hint')}>
      <ForgotForm forgot={forgot} />
      <Text mt="md">{toSignIn}</Text>
    </FrontPage>
  );
}

function ForgotForm({ forgot }: { forgot: ReturnType<typeof useAct<'forgotPassword'>> }): ReactNode {
  const say = useTexts(texts);
  const form = useCheckedForm({ email: '' }, () => ({ email: (value) => emailFault(value, say) }));
  const submit = form.submit(({ email }) => forgot.mutate({ body: { email: email.trim() } }, { onError: form.place }));
  return (
    <FrontForm onSubmit={submit} problem={form.unplaced(forgot.error)} act={say('send_link')} busy={forgot.isPending}>
      <EmailField autoFocus {...form.getInputProps('email')} />
    </FrontForm>
  );
}
