import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { common } from '../../../../language/common.ts';
import { useWords } from '../../../../language/words.tsx';
import { CopyButton } from '../../../../parts/copy-button.tsx';
import { useShownOnceGuard, type ShownOnceGuard } from '../api-keys/create/shown-once.tsx';
import { words } from './words.ts';
import classes from './webhooks.module.css';

/** A signing secret, this once. After it closes the secret is in no part of the page. */
export function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const guard = useShownOnceGuard(secret !== null, onClose);
  return (
    <Modal
      opened={secret !== null}
      onClose={guard.ask}
      title={say('secret_ready')}
      size={560}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      {secret !== null && (guard.asking ? <Ask guard={guard} /> : <Shown secret={secret} onSaved={guard.leave} />)}
    </Modal>
  );
}

function Shown({ secret, onSaved }: { secret: string; onSaved: () => void }): ReactNode {
  const say = useWords(words);
  return (
    <Stack>
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('secret_words')}
      </Alert>
      <div className={classes.secret} data-copy-scope>
        <TextInput
          label={say('secret')}
          value={secret}
          readOnly
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          onFocus={(event) => event.currentTarget.select()}
          data-copy-source
          data-autofocus
        />
        <CopyButton text={secret} full variant="filled" label={say('copy_secret')} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onSaved}>{say('secret_saved')}</Button>
      </Group>
    </Stack>
  );
}

function Ask({ guard }: { guard: ShownOnceGuard }): ReactNode {
  const say = useWords(words);
  return (
    <Stack role="alertdialog" aria-label={say('not_saved')}>
      <Text fw={600}>{say('not_saved')}</Text>
      <Text size="sm">{say('not_saved_words')}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={guard.leave}>
          {say('close_anyway')}
        </Button>
        <Button onClick={guard.stay} autoFocus>
          {say('keep_open')}
        </Button>
      </Group>
    </Stack>
  );
}
