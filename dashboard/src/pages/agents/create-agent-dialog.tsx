import { Modal, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { words } from './words.ts';

export function CreateAgentDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  return (
    <Modal opened={opened} onClose={onClose} title={say('create')}>
      <Form onClose={onClose} />
    </Modal>
  );
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const create = useAct('createAgent', { refresh: ['listAgents', 'readOverview'] });
  const form = useCheckedForm({ name: '' }, () => ({
    name: (value) => (value.trim() === '' ? say('name_missing') : null),
  }));
  const submit = form.submit(({ name }) =>
    create.mutate(
      { params: { org_id }, body: { name: name.trim() } },
      {
        onSuccess: ({ id }) => void navigate({ to: '/agents/$agent_id', params: { agent_id: id } }),
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
      <TextInput
        label={say('name')}
        description={say('name_example')}
        withAsterisk
        maxLength={MAX_NAME_CHARACTERS}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  );
}
