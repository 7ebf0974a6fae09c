import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import type { AnswerOf } from '../../../../contract/dashboard/routes.ts';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import type { InvitationLook } from '../../../../contract/dashboard/organizations.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { PagePending } from '../../parts/page-pending.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { useEntered } from '../sign-in/entered.ts';
import { passwordFault } from '../sign-in/faults.ts';
import { SecondStep, useSecondStep } from '../sign-in/second-step.tsx';
import { words } from '../sign-in/words.ts';

const route = getRouteApi('/front/invitations/$invitation');

export function InvitationPage(): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const { invitation } = route.useParams();
  const entered = useEntered();
  const second = useSecondStep();
  const again = useAct('acceptInvitation', { refresh: [] });
  const sent = useRef('');
  const look = useRead('readInvitation', { params: { invitation } }, { staleTime: Infinity });
  if (look.isPending)
    return (
      <FrontPage title={sayCommon('loading')}>
        <PagePending />
      </FrontPage>
    );
  if (!look.data)
    return (
      <FrontPage title="Parley">
        <ProblemAlert problem={look.error} onRetry={() => void look.refetch()} />
      </FrontPage>
    );
  const { organization, email, role, has_account } = look.data;
  const enter = (session: SessionView): void => void entered(session, undefined, organization);
  // Signed in by now: the invitation is accepted with that session. If it is gone, they are signed in nevertheless.
  const join = (session: SessionView): void =>
    again.mutate(
      { params: { invitation }, body: { password: sent.current } },
      { onSuccess: (answer) => second.take(answer, enter), onError: () => enter(session) },
    );
  if (second.asked) return <SecondStep asked={second.asked} onEntered={join} onAgain={second.forget} />;
  return (
    <FrontPage
      title={say('invited', { organization })}
      description={say.rich('invited_hint', {
        role: <b>{sayCommon(`role_${role}`)}</b>,
        email: <b className="ltr">{email}</b>,
      })}
    >
      {has_account && (
        <Text size="sm" mb="md">
          {say('invited_has_account')}
        </Text>
      )}
      <AcceptForm
        invitation={invitation}
        look={look.data}
        onAnswer={(answer, password) => {
          sent.current = password;
          second.take(answer, enter);
        }}
      />
    </FrontPage>
  );
}

type Props = {
  invitation: string;
  look: InvitationLook;
  onAnswer: (answer: AnswerOf<'acceptInvitation'>, password: string) => void;
};

function AcceptForm({ invitation, look, onAnswer }: Props): ReactNode {
  const say = useWords(words);
  const accept = useAct('acceptInvitation', { refresh: [] });
  const form = useCheckedForm({ name: '', password: '' }, (common) => ({
    name: (value) => (!look.has_account && value.trim() === '' ? common('required') : null),
    password: (value) => passwordFault(value, say),
  }));
  const submit = form.submit(({ name, password }) =>
    accept.mutate(
      { params: { invitation }, body: { password, ...(!look.has_account && { name: name.trim() }) } },
      { onSuccess: (answer) => onAnswer(answer, password), onError: form.place },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {form.unplaced(accept.error) && <ProblemAlert problem={form.unplaced(accept.error)} />}
        <input type="hidden" name="username" autoComplete="username" value={look.email} />
        {!look.has_account && (
          <TextInput
            label={say('name')}
            autoComplete="name"
            maxLength={MAX_NAME_CHARACTERS}
            autoFocus
            {...form.getInputProps('name')}
          />
        )}
        <PasswordInput
          label={say(look.has_account ? 'password' : 'new_password')}
          description={look.has_account ? undefined : say('password_hint')}
          autoComplete={look.has_account ? 'current-password' : 'new-password'}
          visibilityToggleButtonProps={{ 'aria-label': say('show_password') }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" loading={accept.isPending} fullWidth mt="xs">
          {say('join')}
        </Button>
      </Stack>
    </form>
  );
}
