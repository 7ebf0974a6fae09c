import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { Dialog } from './dialog.tsx';
import { AskBeforeClosing, ShownValue, useShownOnceGuard } from './shown-once.tsx';
import { secretTexts } from './secret-texts.ts';

/** Shows a signing secret once. After the dialog closes, no part of the page contains the secret. */
export function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }): ReactNode {
  const say = useTexts(secretTexts);
  const guard = useShownOnceGuard(secret !== null, onClose);
  return (
    <Dialog opened={secret !== null} onClose={guard.ask} title={say('secret_ready')} size={560}>
      {secret !== null &&
        (guard.asking ? <AskBeforeClosing guard={guard} say={say} /> : <Shown secret={secret} onSaved={guard.leave} />)}
    </Dialog>
  );
}

function Shown({ secret, onSaved }: { secret: string; onSaved: () => void }): ReactNode {
  const say = useTexts(secretTexts);
  return (
    <Stack>
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('secret_words')}
      </Alert>
      <ShownValue label={say('secret')} value={secret} copyLabel={say('copy_secret')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onSaved}>
          {say('secret_saved')}
        </Button>
      </Group>
    </Stack>
  );
}
