import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { InvitationRecord } from '../../../../../contract/dashboard/organizations.ts';
import { ROLES, type Role } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { relative } from '../../../language/format.ts';
import { common } from '../../../language/common.ts';
import { useWords } from '../../../language/words.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { useNow } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { atLeast, useOrganization } from '../../../session/session.ts';
import { words } from '../words.ts';

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say('invite')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      <Invite onClose={onClose} />
    </Modal>
  );
}

function Invite({ onClose }: { onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const organization = useOrganization();
  const invite = useAct('invite', { refresh: ['listInvitations'] });
  const [made, setMade] = useState<InvitationRecord | null>(null);
  const form = useCheckedForm<{ email: string; role: Role }>({ email: '', role: 'member' }, () => ({
    email: (value) => (/^\S+@\S+\.\S+$/.test(value.trim()) ? null : say('email_wrong')),
  }));
  if (made) return <Link invitation={made} onClose={onClose} />;
  const submit = form.submit(({ email, role }) =>
    invite.mutate(
      { params: { org_id: organization.id }, body: { email: email.trim(), role } },
      { onSuccess: setMade, onError: (problem) => void form.place(problem) },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {say('invite_hint')}
        </Text>
        <TextInput
          label={say('email')}
          type="email"
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          data-autofocus
          {...form.getInputProps('email')}
        />
        <NativeSelect
          label={say('role')}
          description={say(`role_${form.values.role}_can`)}
          data={ROLES.filter((role) => atLeast(organization.role, role)).map((role) => ({
            value: role,
            label: sayCommon(`role_${role}`),
          }))}
          {...form.getInputProps('role')}
        />
        {invite.error && invite.error.faults.length === 0 && <ProblemAlert problem={invite.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={invite.isPending}>
            {say('make_link')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Link({ invitation, onClose }: { invitation: InvitationRecord; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const now = useNow();
  return (
    <Stack data-copy-scope>
      <TextInput
        label={say('link_ready', { email: invitation.email })}
        value={invitation.url}
        readOnly
        classNames={{ input: 'ltr' }}
        onFocus={(event) => event.currentTarget.select()}
        data-copy-source
        data-autofocus
      />
      <Text size="sm" c="dimmed">
        {say('link_hint', {
          role: sayCommon(`role_${invitation.role}`),
          when: relative(say.language, invitation.expires_at, now),
        })}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {sayCommon('close')}
        </Button>
        <CopyButton text={invitation.url} full variant="filled" label={say('copy_link')} />
      </Group>
    </Stack>
  );
}
