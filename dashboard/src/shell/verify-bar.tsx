import { Alert, Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '../api/queries.ts';
import { useWords } from '../language/words.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { useSession } from '../session/session.ts';
import { words } from './words.ts';

/** Shown until the address of the account is verified, if this server sends mail. */
export function VerifyBar(): ReactNode {
  const say = useWords(words);
  const { user, mail, only_organization } = useSession();
  const send = useAct('sendEmailLink', { refresh: [] });
  // A session of an organization's provider has no access to the account itself.
  if (!mail || user.email_verified || only_organization !== null) return null;
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
