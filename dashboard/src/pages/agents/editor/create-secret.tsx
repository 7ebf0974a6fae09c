import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { refetch } from '../../../api/queries.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { SecretDialog } from '../../../parts/secret-dialog.tsx';
import { useCreateSecret } from '../../../parts/use-create-secret.ts';

type Props = { create: () => Promise<{ secret: string }>; act: string; hint?: string | undefined };

/** A button that creates a signing secret, which is then shown once. */
export function CreateSecret({ create, act, hint }: Props): ReactNode {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, problem, make } = useCreateSecret(create);
  const click = async (): Promise<void> => {
    const outcome = await make();
    if ('made' in outcome) setSecret(outcome.made.secret);
  };
  return (
    <>
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="sm">
        <Button variant="default" size="xs" loading={busy} onClick={() => void click()}>
          {act}
        </Button>
        {hint !== undefined && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Group>
      <SecretDialog
        secret={secret}
        onClose={() => {
          setSecret(null);
          // This read comes last, because the new list closes the dialog.
          void refetch(client, ['listToolSecrets']);
        }}
      />
    </>
  );
}
