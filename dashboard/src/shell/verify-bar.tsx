import { Alert, Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { useSession } from '../session/session.ts';
import { barTexts } from './bar-texts.ts';

/** Asks the person to verify the address of the account. */
export function VerifyBar(): ReactNode {
  const say = useTexts(barTexts);
  const { user } = useSession();
  const send = useAct('sendEmailLink', { refresh: [] });
  return (
    <Alert icon={<IconMail size={18} />} title={say('verify_email')} m="md" mb={0} role="status">
      <Group justify="space-between">
        <Text size="sm">
          {say.rich(send.isSuccess ? 'verify_sent' : 'verify_hint', { email: <b className="ltr">{user.email}</b> })}
        </Text>
        <Button size="xs" variant="default" loading={send.isPending} onClick={() => send.mutate({})}>
          {say(send.isSuccess ? 'verify_again' : 'verify_send')}
        </Button>
      </Group>
      {send.error && <ProblemAlert problem={send.error} />}
    </Alert>
  );
}
