import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { OrganizationRecord } from '../../../../../contract/dashboard/organizations.ts';
import { MAX_NAME_CHARACTERS } from '../../../../../contract/limits.ts';
import { type Plan, PLANS } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useWords } from '../../../language/words.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { words } from './words.ts';

type Props = { opened: boolean; onClose: () => void };

export function MakeOrganizationDialog({ opened, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say('make')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      <Make onClose={onClose} />
    </Modal>
  );
}

function Make({ onClose }: { onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const create = useAct('createOrganization', { refresh: ['listOrganizations', 'readSession'] });
  const [made, setMade] = useState<OrganizationRecord | null>(null);
  const form = useCheckedForm<{ name: string; owner_email: string; plan: Plan }>(
    { name: '', owner_email: '', plan: 'free' },
    (common) => ({
      name: (value) => (value.trim() === '' ? common('required') : null),
      owner_email: (value) => (value.trim() === '' || /^\S+@\S+\.\S+$/.test(value.trim()) ? null : say('email_wrong')),
    }),
  );
  const submit = form.submit(({ name, owner_email, plan }) =>
    create.mutate(
      { body: { name: name.trim(), plan, ...(owner_email.trim() !== '' && { owner_email: owner_email.trim() }) } },
      {
        onSuccess: (organization) => {
          if (organization.invitation_url) return setMade(organization);
          notifyDone(say('made', { name: `\u2068${organization.name}\u2069` }));
          onClose();
        },
        onError: (problem) => void form.place(problem),
      },
    ),
  );
  if (made) return <OwnerLink made={made} onClose={onClose} />;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {say('make_hint')}
        </Text>
        <TextInput
          label={say('name')}
          withAsterisk
          maxLength={MAX_NAME_CHARACTERS}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={say('owner_email')}
          description={say('owner_email_hint')}
          type="email"
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          {...form.getInputProps('owner_email')}
        />
        <NativeSelect
          label={say('plan')}
          data={PLANS.map((plan) => ({ value: plan, label: sayCommon(`plan_${plan}`) }))}
          {...form.getInputProps('plan')}
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

function OwnerLink({ made, onClose }: { made: OrganizationRecord; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const url = made.invitation_url ?? '';
  return (
    <Stack data-copy-scope>
      <TextInput
        label={say('link', { name: `\u2068${made.name}\u2069` })}
        value={url}
        readOnly
        classNames={{ input: 'ltr' }}
        onFocus={(event) => event.currentTarget.select()}
        data-copy-source
        data-autofocus
      />
      <Text size="sm" c="dimmed">
        {say('link_hint')}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {sayCommon('close')}
        </Button>
        <CopyButton text={url} full variant="filled" label={say('copy_link')} />
      </Group>
    </Stack>
  );
}
