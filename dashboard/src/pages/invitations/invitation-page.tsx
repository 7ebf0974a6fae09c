import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvitationLook } from '../../../../contract/dashboard/organizations.ts';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { forgetSession, forgetWritten, sessionOptions } from '../../session/session.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { FrontLoading } from '../../shell/front-loading.tsx';
import { useEnter } from '../../parts/sign-in/use-enter.ts';
import { passwordFault } from '../../parts/sign-in/field-faults.ts';
import { FrontForm, NewPasswordField } from '../../parts/sign-in/front-form.tsx';
import { texts } from '../../parts/sign-in/texts.ts';

const route = getRouteApi('/front/invitations/$invitation');

type Props = { invitation: string; look: InvitationLook };

/**
 * The page has two ways to join, which are the same for every address: with an account after sign-in, or as a new
 * person. The page does not show whether an account with the address exists.
 */
export function InvitationPage(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { invitation } = route.useParams();
  const look = useRead('readInvitation', { params: { invitation } }, { staleTime: Infinity });
  // On this page, "not signed in" is a result and not an error.
  const session = useQuery({ ...sessionOptions, retry: false, refetchInterval: false });
  if (!look.data || session.isPending) return <FrontLoading read={look} title="Parley" />;
  const { organization, email, role } = look.data;
  const props = { invitation, look: look.data };
  return (
    <FrontPage
      title={say('invited', { organization })}
      description={say.rich('invited_hint', {
        role: <b>{sayCommon(`role_${role}`)}</b>,
        email: <b className="ltr">{email}</b>,
      })}
    >
      {session.data ? <SignedIn {...props} session={session.data} /> : <SignedOut {...props} />}
    </FrontPage>
  );
}

/** The next person in this tab does not find unfinished text of the previous one. */
function leave(): void {
  forgetWritten();
  void forgetSession().then(() => location.reload());
}

function SignedIn({ invitation, look, session }: Props & { session: SessionView }): ReactNode {
  const say = useTexts(texts);
  const entered = useEnter();
  const join = useAct('joinByInvitation', { refresh: [] });
  const signOut = useAct('signOut', { refresh: [] });
  if (session.user.email !== look.email)
    return (
      <Stack>
        <Text size="sm">{say.rich('invited_other', { own: <b className="ltr">{session.user.email}</b> })}</Text>
        {signOut.error && <ProblemAlert problem={signOut.error} />}
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate({}, { onSuccess: leave })}>
          {say('sign_out')}
        </Button>
      </Stack>
    );
  return (
    <Stack>
      <Text size="sm">{say.rich('invited_as', { name: <bdi>{session.user.name}</bdi> })}</Text>
      {join.error && <ProblemAlert problem={join.error} />}
      <Button
        size="md"
        loading={join.isPending}
        fullWidth
        autoFocus
        onClick={() =>
          join.mutate(
            { params: { invitation } },
            { onSuccess: (view) => void entered(view, undefined, look.organization) },
          )
        }
      >
        {say('join')}
      </Button>
    </Stack>
  );
}

function SignedOut({ invitation, look }: Props): ReactNode {
  const say = useTexts(texts);
  const back = `/invitations/${invitation}`;
  if (!look.new_accounts)
    return (
      <Stack>
        <Text size="sm">{say('invited_account_only')}</Text>
        <Button size="md" renderRoot={(props) => <Link to="/sign-in" search={{ back }} {...props} />}>
          {say('sign_in')}
        </Button>
      </Stack>
    );
  return (
    <Stack>
      <NewAccountForm invitation={invitation} look={look} />
      <Divider label={say('or')} />
      <Anchor ta="center" renderRoot={(props) => <Link to="/sign-in" search={{ back }} {...props} />}>
        {say('to_sign_in')}
      </Anchor>
    </Stack>
  );
}

function NewAccountForm({ invitation, look }: Props): ReactNode {
  const say = useTexts(texts);
  const entered = useEnter();
  const accept = useAct('acceptInvitation', { refresh: [] });
  const form = useCheckedForm({ name: '', password: '' }, (common) => ({
    name: (value) => (value.trim() === '' ? common('required') : null),
    password: (value) => passwordFault(value, say),
  }));
  const submit = form.submit(({ name, password }) =>
    accept.mutate(
      { params: { invitation }, body: { password, name: name.trim() } },
      { onSuccess: (session) => void entered(session, undefined, look.organization), onError: form.place },
    ),
  );
  return (
    <FrontForm onSubmit={submit} problem={form.unplaced(accept.error)} act={say('join_new')} busy={accept.isPending}>
      <TextInput
        label={say('name')}
        autoComplete="name"
        maxLength={MAX_NAME_CHARACTERS}
        autoFocus
        {...form.getInputProps('name')}
      />
      <NewPasswordField email={look.email} {...form.getInputProps('password')} />
    </FrontForm>
  );
}
