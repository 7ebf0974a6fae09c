import { Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { InvitationRecord } from '../../../../../contract/dashboard/organizations.ts';
import { ROLES, type Role } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { relative } from '../../../language/format.ts';
import { common } from '../../../language/common.ts';
import { useWords } from '../../../language/words.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { LinkToCopy } from '../../../parts/link-to-copy.tsx';
import { useNow } from '../../../parts/moment.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { atLeast, useOrganization } from '../../../session/session.ts';
import { words } from '../words.ts';

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  return (
    <Modal opened={opened} onClose={onClose} title={say('invite')}>
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
      { onSuccess: setMade, onError: form.place },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('make_link')}
      busy={invite.isPending}
      problem={form.unplaced(invite.error)}
      onCancel={onClose}
    >
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
    </DialogForm>
  );
}

function Link({ invitation, onClose }: { invitation: InvitationRecord; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const now = useNow();
  return (
    <LinkToCopy
      label={say('link_ready', { email: invitation.email })}
      url={invitation.url}
      hint={say('link_hint', {
        role: sayCommon(`role_${invitation.role}`),
        when: relative(say.language, invitation.expires_at, now),
      })}
      copyLabel={say('copy_link')}
      onClose={onClose}
    />
  );
}
