import { Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { NameAndAgent } from '../../parts/agents/name-and-agent.tsx';
import { useOnlyAgent } from '../../parts/agents/use-only-agent.ts';
import { texts } from './texts.ts';

type Props = { opened: boolean; agentId: string | null; onClose: () => void };

export function CreateCampaignDialog({ opened, agentId, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const only = useOnlyAgent();
  return (
    <Dialog opened={opened} onClose={onClose} title={say('create')}>
      <Form agentId={agentId ?? only} onClose={onClose} />
    </Dialog>
  );
}

/**
 * The kinds of channels whose first message does not reach everyone. The form shows which people the chosen channel can
 * reach.
 */
const LIMITED = ['sandbox', 'telegram', 'web_chat', 'whatsapp'] as const;
const isLimited = (kind: string): kind is (typeof LIMITED)[number] => LIMITED.some((one) => one === kind);

function Form({ agentId, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const create = useAct('createCampaign', { refresh: ['listCampaigns', 'readOverview'] });
  const form = useCheckedForm({ name: '', agent_id: agentId ?? '', channel_id: '' }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
    agent_id: (value) => (value === '' ? sayAgent('agent_missing') : null),
    channel_id: (value) => (value === '' ? say('channel_missing') : null),
  }));
  const { agent_id } = form.values;
  const channel = form.getInputProps('channel_id');
  const channels = useRead(
    'listChannels',
    { params: { org_id }, query: { agent_id, limit: MAX_PAGE } },
    { enabled: agent_id !== '' },
  );
  const kind = channels.data?.data.find(({ id }) => id === channel.value)?.kind;
  const submit = form.submit(({ name, agent_id, channel_id }) =>
    create.mutate(
      { params: { org_id }, body: { name: name.trim(), agent_id, channel_id } },
      {
        onSuccess: ({ id }) => void navigate({ to: '/campaigns/$campaign_id', params: { campaign_id: id } }),
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('create')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed">
        {say('create_hint')}
      </Text>
      <NameAndAgent say={say} agentId={agentId} form={form} onAgent={() => form.setFieldValue('channel_id', '')} />
      <Select
        label={say('channel')}
        withAsterisk
        id={channel.id}
        disabled={agent_id === ''}
        placeholder={agent_id === '' ? say('channel_first') : sayCommon('select')}
        description={kind && isLimited(kind) ? say(`reach_${kind}`) : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={(channels.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={channel.value || null}
        error={channel.error}
        onChange={(id) => form.setFieldValue('channel_id', id ?? '')}
      />
    </DialogForm>
  );
}
