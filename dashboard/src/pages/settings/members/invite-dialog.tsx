import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { NewInvitation } from '../../../../../contract/dashboard/organizations.ts';
import { ROLES, type Role } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { atLeast, useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { InvitationLink, isHandedOver } from './invitation-link.tsx';

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('invite')}>
      <Invite onClose={onClose} />
    </Dialog>
  );
}

function Invite({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const { mail } = useSession();
  const invite = useAct('invite', { refresh: ['listInvitations'] });
  const [made, setMade] = useState<NewInvitation | null>(null);
  const form = useCheckedForm<{ email: string; role: Role }>({ email: '', role: 'member' }, () => ({
    email: (value) => (/^\S+@\S+\.\S+$/.test(value.trim()) ? null : say('email_wrong')),
  }));
  if (made && isHandedOver(made)) return <InvitationLink invitation={made} onClose={onClose} />;
  const submit = form.submit(({ email, role }) =>
    invite.mutate(
      { params: { org_id: organization.id }, body: { email: email.trim(), role } },
      {
        onSuccess: (answer) => {
          if (isHandedOver(answer)) return setMade(answer);
          notifyDone(say('invitation_sent', { email: `\u2066${answer.email}\u2069` }));
          onClose();
        },
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say(mail ? 'send_invitation' : 'make_link')}
      busy={invite.isPending}
      problem={form.unplaced(invite.error)}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed">
        {say(mail ? 'invite_hint_mail' : 'invite_hint')}
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
