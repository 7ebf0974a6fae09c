import { Button, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useSession } from '../../session/session.ts';
import { barTexts } from '../../shell/bar-texts.ts';

const route = getRouteApi('/inside/verify/$link');

/** Verification needs a click, because mail scanners also open links and must not verify an address. */
export function VerifyPage(): ReactNode {
  const say = useTexts(barTexts);
  const { link } = route.useParams();
  const { user } = useSession();
  const navigate = useNavigate();
  const verify = useAct('verifyEmail', { refresh: ['readSession'] });
  return (
    <>
      <PageHeader title={say('verify_email')} />
      <Stack align="flex-start" maw={560}>
        <Text>{say.rich('verify_question', { email: <b className="ltr">{user.email}</b> })}</Text>
        {verify.error && <ProblemAlert problem={verify.error} />}
        <Button
          loading={verify.isPending}
          onClick={() =>
            verify.mutate(
              { params: { link } },
              {
                onSuccess: () => {
                  notifyDone(say('verified'));
                  void navigate({ to: '/', replace: true });
                },
              },
            )
          }
        >
          {say('verify')}
        </Button>
      </Stack>
    </>
  );
}
