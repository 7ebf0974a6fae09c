import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { AcceptedMessage } from '../../../../contract/channels.ts';
import type { ChannelRecord, ChannelTemplate } from '../../../../contract/dashboard/channels.ts';
import type { MessageContent } from '../../../../contract/messages.ts';
import { useAct } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import {
  isChosen,
  TemplatePicker,
  TemplatePreview,
  TemplatesState,
  useTemplates,
} from '../../parts/template-picker.tsx';
import { templateWords } from '../../parts/template-words.ts';
import { useOrganization } from '../../session/session.ts';
import { kindWords } from './kind-words.ts';
import { TestOutcome } from './test-outcome.tsx';
import { words } from './words.ts';
import classes from './channels.module.css';

type Values = { address: string; text: string; template: string; language: string };
type Variables = Readonly<Record<string, string>>;

type Props = { item: ChannelRecord; kind: ChannelKindName };

/** A message to oneself, and what becomes of it, seen live. */
export function SendTest({ item, kind }: Props): ReactNode {
  const say = useWords(words);
  const sayKind = useWords(kindWords);
  const org_id = useOrganization().id;
  const [variables, setVariables] = useState<Variables>({});
  const [sent, setSent] = useState<AcceptedMessage | null>(null);
  const send = useAct('sendTest', { refresh: [] });
  const form = useCheckedForm<Values>(
    { address: '', text: say('test_words'), template: '', language: 'en_US' },
    () => ({
      address: (value) => (value.trim() === '' ? say('address_missing') : null),
      text: (value, { template }) => (value.trim() === '' && template.trim() === '' ? say('missing') : null),
    }),
  );
  const submit = form.submit(({ address, text, template, language }) => {
    const content: MessageContent =
      template.trim() === ''
        ? { type: 'text', text: text.trim() }
        : { type: 'template', name: template.trim(), language: language.trim(), variables };
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
            <TestTemplate channelId={item.id} form={form} variables={variables} onVariables={setVariables} />
          )}
          <Group gap="md">
            <Button type="submit" leftSection={<IconSend size={16} />} loading={send.isPending}>
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

type TemplateProps = {
  channelId: string;
  form: ReturnType<typeof useCheckedForm<Values>>;
  variables: Variables;
  onVariables: (variables: Variables) => void;
};

/** A template instead of the message: chosen from those of the account, or by its name where they cannot be listed. */
function TestTemplate({ channelId, form, variables, onVariables }: TemplateProps): ReactNode {
  const say = useWords(words);
  const sayTemplate = useWords(templateWords);
  const { items, loading, failed } = useTemplates(channelId, true);
  const { template, language } = form.values;
  const chosen = items?.find(isChosen({ name: template, language }));
  const choose = (one: ChannelTemplate | null): void => {
    form.setFieldValue('template', one?.name ?? '');
    form.setFieldValue('language', one?.language ?? '');
    onVariables(Object.fromEntries((one?.variables ?? []).map((name) => [name, variables[name] ?? ''])));
  };
  if (!items) {
    return (
      <>
        <TemplatesState loading={loading} failed={failed} />
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
      </>
    );
  }
  return (
    <>
      <TemplatePicker
        label={say('test_template')}
        items={items}
        value={{ name: template, language }}
        onChange={choose}
      />
      {chosen?.variables.map((name) => (
        <TextInput
          key={name}
          label={sayTemplate('value_of', { name: `{{${name}}}` })}
          dir="auto"
          maxLength={1024}
          value={variables[name] ?? ''}
          onChange={(event) => onVariables({ ...variables, [name]: event.currentTarget.value })}
        />
      ))}
      {chosen && <TemplatePreview template={chosen} values={variables} />}
    </>
  );
}
