import { Modal, Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { words as agentWords } from '../../parts/agents/agent-select-words.ts';
import { NameAndAgent } from '../../parts/agents/name-and-agent.tsx';
import { useOnlyAgent } from '../../parts/agents/use-only-agent.ts';
import { words } from './words.ts';

type Props = { opened: boolean; agentId: string | null; onClose: () => void };

export function CreateCampaignDialog({ opened, agentId, onClose }: Props): ReactNode {
  const say = useWords(words);
  const only = useOnlyAgent();
  return (
    <Modal opened={opened} onClose={onClose} title={say('create')}>
      <Form agentId={agentId ?? only} onClose={onClose} />
    </Modal>
  );
}

/** Kinds whose first message does not reach everyone. The form says whom it reaches. */
const LIMITED = ['sandbox', 'telegram', 'web_chat', 'whatsapp'] as const;
const isLimited = (kind: string): kind is (typeof LIMITED)[number] => LIMITED.some((one) => one === kind);

function Form({ agentId, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const sayCommon = useWords(common);
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
