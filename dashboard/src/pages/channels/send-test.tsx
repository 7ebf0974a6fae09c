import { Anchor, Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { AcceptedMessage } from '../../../../contract/channels.ts';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import type { MessageContent } from '../../../../contract/messages.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { DeliveryNotes, DeliveryState } from '../conversations/delivery-state.tsx';
import { kindWords } from './kind-words.ts';
import { words } from './words.ts';
import classes from './channels.module.css';

const LOOK_AGAIN_MS = 1_000;
type Props = { item: ChannelRecord; kind: ChannelKindName };

/** A message to oneself, and what becomes of it, seen live. */
export function SendTest({ item, kind }: Props): ReactNode {
  const say = useWords(words);
  const sayKind = useWords(kindWords);
  const org_id = useOrganization().id;
  const [sent, setSent] = useState<AcceptedMessage | null>(null);
  const send = useAct('sendTest', { refresh: [] });
  const form = useCheckedForm({ address: '', text: say('test_words'), template: '', language: 'en_US' }, () => ({
    address: (value) => (value.trim() === '' ? say('address_missing') : null),
    text: (value, { template }) => (value.trim() === '' && template.trim() === '' ? say('missing') : null),
  }));
  const submit = form.submit(({ address, text, template, language }) => {
    const content: MessageContent =
      template.trim() === ''
        ? { type: 'text', text: text.trim() }
        : { type: 'template', name: template.trim(), language: language.trim() };
    send.mutate(
      { params: { org_id, channel_id: item.id }, body: { address: address.trim(), content } },
      {
        onSuccess: setSent,
        onError: ({ faults }) => {
          const ofAddress = faults.find(({ pointer }) => pointer.endsWith('/address'));
          if (!ofAddress) return;
          form.setFieldError('address', ofAddress.detail);
          form.focus('address');
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate className={classes.section}>
      <Card title={say('test')} description={say('test_hint')}>
        <Stack gap="md">
          <TextInput
            label={sayKind(`address_${kind}`)}
            description={sayKind(`address_hint_${kind}`)}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('address')}
          />
          <Textarea label={say('test_text')} dir="auto" autosize minRows={1} {...form.getInputProps('text')} />
          {kind === 'whatsapp' && (
            <Group align="flex-start" gap="md">
              <TextInput
                label={say('test_template')}
                description={say('test_template_hint')}
                flex="2 1 260px"
                dir="ltr"
                placeholder="hello_world"
                {...form.getInputProps('template')}
              />
              <TextInput label={say('test_language')} flex="1 1 140px" dir="ltr" {...form.getInputProps('language')} />
            </Group>
          )}
          <Group gap="md">
            <Button type="submit" leftSection={<IconSend size={16} />} loading={send.isPending}>
              {say('test_send')}
            </Button>
            {sent && <Outcome channelId={item.id} sent={sent} />}
          </Group>
          {send.error && !send.error.faults.some(({ pointer }) => pointer.endsWith('/address')) && (
            <ProblemAlert problem={send.error} />
          )}
        </Stack>
      </Card>
    </form>
  );
}

function Outcome({ channelId, sent }: { channelId: string; sent: AcceptedMessage }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const params = { org_id, channel_id: channelId, message_id: sent.id };
  const read = useRead('readTest', { params }, { every: LOOK_AGAIN_MS });
  const message = read.data;
  return (
    <div className={classes.seen} role="status">
      {message && <DeliveryState message={message} />}
      {message && <DeliveryNotes message={message} />}
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/conversations/$conversation_id" params={{ conversation_id: sent.conversation_id }} {...props} />
        )}
      >
        {say('see_conversation')}
      </Anchor>
    </div>
  );
}
