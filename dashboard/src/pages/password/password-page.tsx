import { Button, PasswordInput, Stack } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../contract/dashboard/routes.ts';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
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

const route = getRouteApi('/front/password/$link');

/** For a person who forgot their password and has a link. */
export function PasswordPage(): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const { link } = route.useParams();
  const router = useRouter();
  const entered = useEntered();
  const second = useSecondStep();
  const look = useRead('readPasswordLink', { params: { link } }, { staleTime: Infinity });
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
  const { email } = look.data;
  const enter = (session: SessionView): void => void entered(session);
  if (second.asked)
    return (
      <SecondStep asked={second.asked} onEntered={enter} onAgain={() => void router.navigate({ to: '/sign-in' })} />
    );
  return (
    <FrontPage title={say('choose')} description={say.rich('choose_hint', { email: <b className="ltr">{email}</b> })}>
      <PasswordForm link={link} email={email} onAnswer={(answer) => second.take(answer, enter)} />
    </FrontPage>
  );
}

type Props = { link: string; email: string; onAnswer: (answer: AnswerOf<'resetPassword'>) => void };

function PasswordForm({ link, email, onAnswer }: Props): ReactNode {
  const say = useWords(words);
  const reset = useAct('resetPassword', { refresh: [] });
  const form = useCheckedForm({ password: '' }, () => ({ password: (value) => passwordFault(value, say) }));
  const submit = form.submit((body) =>
    reset.mutate({ params: { link }, body }, { onSuccess: onAnswer, onError: form.place }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {form.unplaced(reset.error) && <ProblemAlert problem={form.unplaced(reset.error)} />}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <PasswordInput
          label={say('new_password')}
          description={say('password_hint')}
          autoComplete="new-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': say('show_password') }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" loading={reset.isPending} fullWidth mt="xs">
          {say('set_password')}
        </Button>
      </Stack>
    </form>
  );
}
