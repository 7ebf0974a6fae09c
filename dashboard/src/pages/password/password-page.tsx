import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../contract/dashboard/routes.ts';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { FrontPage } from '../../shell/front-page.tsx';
import { FrontLoading } from '../../shell/front-loading.tsx';
import { useEnter } from '../../parts/sign-in/use-enter.ts';
import { passwordFault } from '../../parts/sign-in/field-faults.ts';
import { SecondStep, useSecondStep } from '../../parts/sign-in/second-step.tsx';
import { FrontForm, NewPasswordField } from '../../parts/sign-in/front-form.tsx';
import { texts } from '../../parts/sign-in/texts.ts';

const route = getRouteApi('/front/password/$link');

/** The page for a person who forgot their password and has a link. */
export function PasswordPage(): ReactNode {
  const say = useTexts(texts);
  const { link } = route.useParams();
  const router = useRouter();
  const entered = useEnter();
  const second = useSecondStep();
  const look = useRead('readPasswordLink', { params: { link } }, { staleTime: Infinity });
  if (!look.data) return <FrontLoading read={look} title="Parley" />;
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
  const say = useTexts(texts);
  const reset = useAct('resetPassword', { refresh: [] });
  const form = useCheckedForm({ password: '' }, () => ({ password: (value) => passwordFault(value, say) }));
  const submit = form.submit((body) =>
    reset.mutate({ params: { link }, body }, { onSuccess: onAnswer, onError: form.place }),
  );
  return (
    <FrontForm onSubmit={submit} problem={form.unplaced(reset.error)} act={say('set_password')} busy={reset.isPending}>
      <NewPasswordField email={email} autoFocus {...form.getInputProps('password')} />
    </FrontForm>
  );
}
