import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../contract/limits.ts';
import { useAct } from '../api/queries.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { browserTimeZone } from '../parts/browser-time-zone.ts';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { chooseOrganization } from '../session/session.ts';
import { gateTexts } from './gate-texts.ts';

export function NewOrganizationForm({ onClose }: { onClose?: () => void }): ReactNode {
  const say = useTexts(gateTexts);
  const sayCommon = useTexts(common);
  const navigate = useNavigate();
  const create = useAct('createOrganization', { refresh: ['readSession'] });
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setMissing(name.trim() === '');
    if (name.trim() === '') return;
    create.mutate(
      { body: { name: name.trim(), time_zone: browserTimeZone() } },
      {
        onSuccess: ({ id }) => {
          chooseOrganization(id);
          onClose?.();
          void navigate({ to: '/' });
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {say('new_organization_hint')}
        </Text>
        <TextInput
          label={say('organization_name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={missing && sayCommon('required')}
          maxLength={MAX_NAME_CHARACTERS}
          data-autofocus
        />
        {create.error && <ProblemAlert problem={create.error} />}
        <Group justify="flex-end" gap="xs">
          {onClose && (
            <Button variant="default" onClick={onClose} disabled={create.isPending}>
              {sayCommon('cancel')}
            </Button>
          )}
          <Button type="submit" loading={create.isPending}>
            {say('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
