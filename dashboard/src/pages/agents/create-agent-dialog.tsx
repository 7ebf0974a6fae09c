import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { words } from './words.ts';

export function CreateAgentDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say('create')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      <Form onClose={onClose} />
    </Modal>
  );
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
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
        onError: (problem) => void form.place(problem),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
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
        {create.error && create.error.faults.length === 0 && <ProblemAlert problem={create.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {say('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
