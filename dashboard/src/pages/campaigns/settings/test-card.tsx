import { Button, Group, Stack, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ChannelKindName } from '../../../../../contract/channel-kinds.ts';
import type { AcceptedMessage } from '../../../../../contract/channels.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { kindTexts } from '../../../parts/channels/kind-texts.ts';
import { isKnownKind } from '../../../parts/channels/kinds.ts';
import { TestOutcome } from '../../../parts/channels/test-outcome.tsx';
import { openingVariables } from './opening-variables.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { texts } from './texts.ts';

const isOfAddress = ({ pointer }: { pointer: string }): boolean => pointer.endsWith('/address');

const sampleOf = (name: string): string => `[${name}]`;

type Props = { item: CampaignRecord; draft: SettingsDraft };

/** Sends the first message to the user as a test, with the settings on this page and sample values. */
export function TestCard({ item, draft }: Props): ReactNode {
  const org_id = useOrganization().id;
  const channel = useRead('readChannel', { params: { org_id, channel_id: item.channel_id } }, {});
  const kind = channel.data?.kind;
  // Visitors of the web chat have no address.
  if (!kind || !isKnownKind(kind) || kind === 'web_chat') return null;
  return <TestForm item={item} draft={draft} kind={kind} />;
}

function TestForm({ item, draft, kind }: Props & { kind: ChannelKindName }): ReactNode {
  const say = useTexts(texts);
  const sayKind = useTexts(kindTexts);
  const org_id = useOrganization().id;
  const [sent, setSent] = useState<AcceptedMessage | null>(null);
  const [samples, setSamples] = useState<Readonly<Record<string, string>>>({});
  const names = openingVariables(draft.settings);
  const send = useAct('testCampaign', { refresh: [] });
  const form = useCheckedForm({ address: '', name: '' }, () => ({
    address: (value) => (value.trim() === '' ? say('test_missing') : null),
  }));
  const submit = form.submit(({ address, name }) => {
    const person = { locale: say.language, ...(name.trim() !== '' && { name: name.trim() }) };
    const variables = Object.fromEntries(names.map((one) => [one, samples[one] ?? sampleOf(one)]));
    const body = { settings: draft.settings, address: address.trim(), end_user: person, variables };
    send.mutate(
      { params: { org_id, campaign_id: item.id }, body },
      {
        onSuccess: setSent,
        onError: ({ faults }) => {
          const ofAddress = faults.find(isOfAddress);
          if (!ofAddress) return;
          form.setFieldError('address', ofAddress.detail);
          form.focus('address');
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Card title={say('test')} description={say('test_hint')}>
        <Stack gap="md">
          <TextInput
            size="xs"
            label={sayKind(`address_${kind}`)}
            description={sayKind(`address_hint_${kind}`)}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('address')}
          />
          <TextInput
            size="xs"
            label={say('test_name')}
            dir="auto"
            autoComplete="off"
            maxLength={200}
            {...form.getInputProps('name')}
          />
          {names.map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={say('test_variable', { name })}
              dir="auto"
              autoComplete="off"
              maxLength={1024}
              value={samples[name] ?? sampleOf(name)}
              onChange={(event) => setSamples({ ...samples, [name]: event.currentTarget.value })}
            />
          ))}
          <Group gap="md">
            <Button
              type="submit"
              size="xs"
              variant="default"
              leftSection={<IconSend size={15} />}
              loading={send.isPending}
              disabled={!draft.isWhole}
            >
              {say('test_send')}
            </Button>
            {sent && <TestOutcome channelId={item.channel_id} sent={sent} />}
          </Group>
          {send.error && !send.error.faults.some(isOfAddress) && <ProblemAlert problem={send.error} />}
        </Stack>
      </Card>
    </form>
  );
}
