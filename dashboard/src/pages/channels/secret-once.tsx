import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isChannelKind } from '../../../../contract/channel-kinds.ts';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useTexts } from '../../language/texts.tsx';
import { CopyFact } from '../../parts/fact.tsx';
import { AskBeforeClosing, ShownValue, type ShownOnceGuard } from '../../parts/shown-once.tsx';
import { AtTheProvider } from './channel-parts.tsx';
import { texts } from './texts.ts';

/** Shows the secrets that the user enters at the provider. The page contains the secrets only while they are shown. */
export function SecretOnce({ made, guard }: { made: ConnectedChannel; guard: ShownOnceGuard }): ReactNode {
  const say = useTexts(texts);
  if (guard.asking) return <AskBeforeClosing guard={guard} say={say} />;
  const isToken = made.verify_token !== undefined;
  const isChat = made.kind === 'web_chat';
  const label = say(isToken ? 'verify_token' : 'secret');
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say(isToken ? 'verify_token_words' : isChat ? 'chat_secret_words' : 'secret_words')}
      </Alert>
      {made.inbound_url && <CopyFact label={say('inbound')} value={made.inbound_url} copyLabel={say('copy_inbound')} />}
      <ShownValue
        label={label}
        value={made.verify_token ?? made.secret ?? ''}
        copyLabel={say(isToken ? 'copy_verify_token' : 'copy_secret')}
      />
      {!isChat && isChannelKind(made.kind) && <AtTheProvider kind={made.kind} />}
      <Group justify="flex-end">
        <Button onClick={guard.leave}>{say(isToken ? 'saved_verify_token' : 'saved_secret')}</Button>
      </Group>
    </Stack>
  );
}
