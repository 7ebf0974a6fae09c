import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isChannelKind } from '../../../../contract/channel-kinds.ts';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useWords } from '../../language/words.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { CopyFact } from '../../parts/fact.tsx';
import type { ShownOnceGuard } from '../settings/integrations/api-keys/create/shown-once.tsx';
import { AtTheProvider } from './channel-parts.tsx';
import { words } from './words.ts';
import classes from './channels.module.css';

/** What the other side must know of us: in the page only while it is shown. */
export function SecretOnce({ made, guard }: { made: ConnectedChannel; guard: ShownOnceGuard }): ReactNode {
  const say = useWords(words);
  if (guard.asking) return <Ask guard={guard} />;
  const isToken = made.verify_token !== undefined;
  const label = say(isToken ? 'verify_token' : 'secret');
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say(isToken ? 'verify_token_words' : 'secret_words')}
      </Alert>
      {made.inbound_url && <CopyFact label={say('inbound')} value={made.inbound_url} copyLabel={say('copy_inbound')} />}
      <div className={classes.secret} data-copy-scope>
        <TextInput
          label={label}
          value={made.verify_token ?? made.secret ?? ''}
          readOnly
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          onFocus={(event) => event.currentTarget.select()}
          data-copy-source
          data-autofocus
        />
        <CopyButton
          text={made.verify_token ?? made.secret ?? ''}
          full
          variant="filled"
          label={say(isToken ? 'copy_verify_token' : 'copy_secret')}
        />
      </div>
      {isChannelKind(made.kind) && <AtTheProvider kind={made.kind} />}
      <Group justify="flex-end">
        <Button onClick={guard.leave}>{say(isToken ? 'saved_verify_token' : 'saved_secret')}</Button>
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
