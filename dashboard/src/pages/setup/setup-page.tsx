import { Alert, Anchor, Stack, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { passwordFault, emailFault } from '../../parts/sign-in/field-faults.ts';
import { browserTimeZone } from '../../parts/browser-time-zone.ts';
import { useEnter } from '../../parts/sign-in/use-enter.ts';
import { EmailField, FrontForm, NewPasswordField } from '../../parts/sign-in/front-form.tsx';
import { texts } from '../../parts/sign-in/texts.ts';

const route = getRouteApi('/front/setup');

/** The link that the first start prints opens this page. The page creates the owner and the first organization. */
export function SetupPage(): ReactNode {
  const say = useTexts(texts);
  const { token } = route.useSearch();
  const entered = useEnter();
  const setUp = useAct('setUp', { refresh: [] });
  const form = useCheckedForm({ name: '', organization_name: '', email: '', password: '' }, (common) => ({
    name: (value) => (value.trim() === '' ? common('required') : null),
    organization_name: (value) => (value.trim() === '' ? common('required') : null),
    email: (value) => emailFault(value, say),
    password: (value) => passwordFault(value, say),
  }));

  const submit = form.submit((values) =>
    setUp.mutate(
      { body: { ...values, email: values.email.trim(), token: token!, time_zone: browserTimeZone() } },
      { onSuccess: (session) => void entered(session), onError: form.place },
    ),
  );
  if (!token)
    return (
      <FrontPage title={say('setup_no_token')}>
        <Stack>
          <Alert>{say('setup_no_token_hint')}</Alert>
          <Anchor renderRoot={(props) => <Link to="/sign-in" {...props} />}>{say('to_sign_in')}</Anchor>
        </Stack>
      </FrontPage>
    );
  return (
    <FrontPage title={say('setup')} description={say('setup_hint')}>
      <Stack>
        <FrontForm onSubmit={submit} problem={form.unplaced(setUp.error)} act={say('set_up')} busy={setUp.isPending}>
          <TextInput
            label={say('name')}
            autoComplete="name"
            maxLength={MAX_NAME_CHARACTERS}
            autoFocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label={say('organization')}
            description={say('organization_hint')}
            autoComplete="organization"
            maxLength={MAX_NAME_CHARACTERS}
            {...form.getInputProps('organization_name')}
          />
          <EmailField {...form.getInputProps('email')} />
          <NewPasswordField {...form.getInputProps('password')} />
        </FrontForm>
        <Anchor size="sm" ta="center" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
          {say('to_sign_in')}
        </Anchor>
      </Stack>
    </FrontPage>
  );
}
