import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/queries.ts';
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

export function CreateTriggerDialog({ opened, agentId, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const only = useOnlyAgent();
  return (
    <Dialog opened={opened} onClose={onClose} title={say('create')}>
      <Form agentId={agentId ?? only} onClose={onClose} />
    </Dialog>
  );
}

function Form({ agentId, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const create = useAct('createTrigger', { refresh: ['listTriggers', 'readOverview'] });
  const form = useCheckedForm({ name: '', agent_id: agentId ?? '' }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
    agent_id: (value) => (value === '' ? sayAgent('agent_missing') : null),
  }));
  const submit = form.submit(({ name, agent_id }) =>
    create.mutate(
      { params: { org_id }, body: { name: name.trim(), agent_id } },
      {
        onSuccess: ({ id }) => void navigate({ to: '/triggers/$trigger_id', params: { trigger_id: id } }),
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
      <NameAndAgent say={say} agentId={agentId} form={form} />
    </DialogForm>
  );
}
