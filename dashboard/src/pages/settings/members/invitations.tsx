import { Button, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { InvitationRecord } from '../../../../../contract/dashboard/organizations.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList } from '../../../list/data-list.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Until } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { RenewDialog } from './renew-dialog.tsx';
import classes from './members.module.css';

/**
 * Lists open invitations, without their links, which are shown only once. Renders nothing if the organization has no
 * open invitations.
 */
export function Invitations(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const { mail } = useSession();
  const [renewing, setRenewing] = useState<InvitationRecord | null>(null);
  const [leaving, setLeaving] = useState<InvitationRecord | null>(null);
  const invitations = useRead('listInvitations', { params: { org_id: organization.id } }, { every: 15_000 });
  const withdraw = useAct('withdrawInvitation', { refresh: ['listInvitations'] });
  // Usually, an organization has no open invitations. A list that appears and disappears would move the content below
  // it.
  if (invitations.isPending || invitations.data?.data.length === 0) return <div className={classes.gap} />;
  return (
    <section className={classes.invitations} aria-label={say('invitations')}>
      <h2 className={classes.heading}>{say('invitations')}</h2>
      <DataList
        label={say('invitations')}
        read={invitations}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          {
            id: 'email',
            label: say('email'),
            cell: ({ email }) => (
              <Text size="sm" fw={550} component="span" className="ltr">
                {email}
              </Text>
            ),
          },
          { id: 'role', label: say('role'), cell: ({ role }) => sayCommon(`role_${role}`), width: '200px' },
          { id: 'expires', label: say('expires'), cell: ({ expires_at }) => <Until at={expires_at} />, width: '160px' },
          {
            id: 'actions',
            label: sayCommon('actions'),
            hidden: true,
            align: 'end',
            width: '230px',
            cell: (invitation) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <Button size="compact-sm" variant="subtle" onClick={() => setRenewing(invitation)}>
                  {say(mail ? 'renew_mail' : 'renew')}
                </Button>
                <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setLeaving(invitation)}>
                  {say('withdraw')}
                </Button>
              </Group>
            ),
          },
        ]}
      />
      <RenewDialog invitation={renewing} onClose={() => setRenewing(null)} />
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={say('withdraw_title')}
        act={say('withdraw')}
        busy={withdraw.isPending}
        problem={withdraw.error}
        onAct={() =>
          withdraw.mutate(
            { params: { org_id: organization.id, invitation_id: leaving!.id } },
            {
              onSuccess: () => {
                setLeaving(null);
                notifyDone(say('withdrawn'));
              },
            },
          )
        }
      >
        <Text size="sm">{say.rich('withdraw_words', { email: <b className="ltr">{leaving?.email}</b> })}</Text>
      </ConfirmDialog>
    </section>
  );
}
