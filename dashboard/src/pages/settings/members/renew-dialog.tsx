import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { InvitationRecord, NewInvitation } from '../../../../../contract/dashboard/organizations.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { InvitationLink, isHandedOver } from './invitation-link.tsx';

type Props = { invitation: InvitationRecord | null; onClose: () => void };

export function RenewDialog({ invitation, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={invitation !== null} onClose={onClose} title={say('renew_title')}>
      {invitation && <Renew invitation={invitation} onClose={onClose} />}
    </Dialog>
  );
}

function Renew({ invitation, onClose }: { invitation: InvitationRecord; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const { mail } = useSession();
  const renew = useAct('renewInvitation', { refresh: ['listInvitations'] });
  const [made, setMade] = useState<NewInvitation | null>(null);
  if (made && isHandedOver(made)) return <InvitationLink invitation={made} onClose={onClose} />;
  const submit = (): void =>
    renew.mutate(
      { params: { org_id: organization.id, invitation_id: invitation.id } },
      {
        onSuccess: (answer) => {
          if (isHandedOver(answer)) return setMade(answer);
          notifyDone(say('invitation_sent', { email: `\u2066${answer.email}\u2069` }));
          onClose();
        },
      },
    );
  return (
    <Stack>
      {renew.error && <ProblemAlert problem={renew.error} />}
      <Text size="sm">
        {say.rich(mail ? 'renew_words_mail' : 'renew_words', { email: <b className="ltr">{invitation.email}</b> })}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={renew.isPending}>
          {sayCommon('cancel')}
        </Button>
        <Button loading={renew.isPending} onClick={submit} data-autofocus>
          {say(mail ? 'renew_mail' : 'renew')}
        </Button>
      </Group>
    </Stack>
  );
}
