import { Anchor, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { isOwnPath } from '../../parts/sign-in/use-enter.ts';
import { EmailField, FrontForm } from '../../parts/sign-in/front-form.tsx';
import { texts } from './organization-texts.ts';

const route = getRouteApi('/front/sign-in/organization');

/** The page asks only for the e-mail address, whose domain determines the provider. */
export function OrganizationSignInPage(): ReactNode {
  const say = useTexts(texts);
  const { back } = route.useSearch();
  const begin = useAct('beginSignIn', { refresh: [] });
  const { reset } = begin;
  // The browser's Back button may restore the page as the user left it.
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent): void => void (persisted && reset());
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);
  const form = useCheckedForm({ email: '' }, (common) => ({
    email: (value) => (value.trim() === '' ? common('required') : null),
  }));
  const submit = form.submit(({ email }) =>
    begin.mutate(
      { body: { email: email.trim(), ...(isOwnPath(back) && { back }) } },
      { onSuccess: ({ url }) => location.assign(url), onError: form.place },
    ),
  );
  return (
    <FrontPage title={say('with_organization')} description={say('hint')}>
      <Stack>
        <FrontForm
          onSubmit={submit}
          problem={form.unplaced(begin.error)}
          act={say('go_on')}
          busy={begin.isPending || begin.isSuccess}
        >
          <EmailField label={say('email')} autoFocus {...form.getInputProps('email')} />
        </FrontForm>
        <Anchor size="sm" ta="center" renderRoot={(props) => <Link to="/sign-in" search={{ back }} {...props} />}>
          {say('with_password')}
        </Anchor>
      </Stack>
    </FrontPage>
  );
}
