import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { AcceptedMessage } from '../../../../contract/channels.ts';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import type { MessageContent } from '../../../../contract/messages.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { NO_TEMPLATE, TemplateFields } from '../../parts/template-fields.tsx';
import { useOrganization } from '../../session/session.ts';
import { kindTexts } from '../../parts/channels/kind-texts.ts';
import { TestOutcome } from '../../parts/channels/test-outcome.tsx';
import { texts } from './texts.ts';
import classes from './channels.module.css';

type Values = { address: string; text: string };

type Props = { item: ChannelRecord; kind: ChannelKindName };

/** Sends a message to the user as a test, and shows the progress of the message live. */
export function SendTest({ item, kind }: Props): ReactNode {
  const say = useTexts(texts);
  const sayKind = useTexts(kindTexts);
  const org_id = useOrganization().id;
  const [template, setTemplate] = useState(NO_TEMPLATE);
  const [sent, setSent] = useState<AcceptedMessage | null>(null);
  const send = useAct('sendTest', { refresh: [] });
  const form = useCheckedForm<Values>({ address: '', text: say('test_words') }, () => ({
    address: (value) => (value.trim() === '' ? say('address_missing') : null),
    text: (value) => (value.trim() === '' && template.name.trim() === '' ? say('missing') : null),
  }));
  const submit = form.submit(({ address, text }) => {
    const { name, language, variables } = template;
    const content: MessageContent =
      name.trim() === ''
        ? { type: 'text', text: text.trim() }
        : { type: 'template', name: name.trim(), language: language.trim(), variables };
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
            <TemplateFields channelId={item.id} label={say('test_template')} value={template} onChange={setTemplate} />
          )}
          <Group gap="md">
            <Button type="submit" variant="default" leftSection={<IconSend size={16} />} loading={send.isPending}>
              {say('test_send')}
            </Button>
            {sent && <TestOutcome channelId={item.id} sent={sent} />}
          </Group>
          {send.error && !send.error.faults.some(({ pointer }) => pointer.endsWith('/address')) && (
            <ProblemAlert problem={send.error} />
          )}
        </Stack>
      </Card>
    </form>
  );
}
