import { ActionIcon, Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserMinus, IconUserPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { MemberRecord } from '../../../../../contract/dashboard/organizations.ts';
import { ROLES, type Role } from '../../../../../contract/permissions.ts';
import type { Problem } from '../../../api/client.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList, type Column } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Fact, Facts } from '../../../parts/fact.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { atLeast, useMay, useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';

export function MembersPage(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const mayManage = useMay('admin');
  const [inviting, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState<MemberRecord | null>(null);
  const members = useRead('listMembers', { params: { org_id: organization.id } }, { every: 15_000 });
  const invitations = useRead('listInvitations', { params: { org_id: organization.id } }, { enabled: mayManage });
  const isRead = !members.isPending && !(mayManage && invitations.isPending);

  return (
    <>
      <PageHeader
        title={say('members')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say.rich('members_hint', { organization: <bdi>{organization.name}</bdi> })}
        actions={
          mayManage && (
            <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
              {say('invite')}
            </Button>
          )
        }
      />
      <MembersList read={members} onLeave={setLeaving} />
      {mayManage && <Invitations />}
      {/* The card is below lists of unknown length, so it appears after the lists have loaded. */}
      {isRead && (
        <Card title={say('roles')}>
          <Facts>
            {ROLES.map((role) => (
              <Fact key={role} label={sayCommon(`role_${role}`)}>
                {say(`role_${role}_can`)}
              </Fact>
            ))}
          </Facts>
        </Card>
      )}
      <InviteDialog opened={inviting} onClose={close} />
      <RemoveDialog member={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

type ListProps = { read: UseQueryResult<{ data: MemberRecord[] }, Problem>; onLeave: (member: MemberRecord) => void };

function MembersList({ read, onLeave }: ListProps): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const mayManage = useMay('admin');
  const factor: Column<MemberRecord> = {
    id: 'second_factor',
    label: say('second_factor'),
    cell: ({ second_factor }) => (
      <Badge color={second_factor ? 'blue' : 'gray'}>{say(second_factor ? 'factor_on' : 'factor_off')}</Badge>
    ),
    width: '150px',
  };
  return (
    <DataList
      label={say('members')}
      read={read}
      keyOf={({ id }) => id}
      empty={null}
      columns={[
        { id: 'person', label: say('person'), cell: (member) => <Person member={member} /> },
        { id: 'role', label: say('role'), cell: (member) => <RoleOf member={member} />, width: '200px' },
        ...(mayManage ? [factor] : []),
        { id: 'since', label: say('since'), cell: ({ created_at }) => <Moment at={created_at} />, width: '160px' },
        {
          id: 'actions',
          label: sayCommon('actions'),
          hidden: true,
          align: 'end',
          width: '60px',
          cell: (member) => <LeaveButton member={member} onClick={() => onLeave(member)} />,
        },
      ]}
    />
  );
}

function Person({ member: { name, email, user_id } }: { member: MemberRecord }): ReactNode {
  const say = useTexts(texts);
  const { user } = useSession();
  return (
    <div>
      <Group gap={8}>
        <Text size="sm" fw={550} dir="auto">
          {name}
        </Text>
        {user_id === user.id && <Badge>{say('you')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" component="span" className="ltr">
        {email}
      </Text>
    </div>
  );
}

/** Removes a person from the organization, or lets the user leave it. */
function LeaveButton({ member, onClick }: { member: MemberRecord; onClick: () => void }): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization();
  const self = member.user_id === useSession().user.id;
  const mayManage = useMay('admin');
  if (!self && !(mayManage && atLeast(organization.role, member.role))) return null;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={self ? `${say('leave')}: ${organization.name}` : `${say('remove')}: ${member.name}`}
      onClick={onClick}
    >
      <IconUserMinus size={17} />
    </ActionIcon>
  );
}

function RoleOf({ member }: { member: MemberRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const change = useAct('setMemberRole', { refresh: ['listMembers', 'readSession'] });
  // An admin can neither add nor remove owners.
  const may = atLeast(organization.role, 'admin') && atLeast(organization.role, member.role);
  if (!may) return <Text size="sm">{sayCommon(`role_${member.role}`)}</Text>;
  return (
    <div>
      <NativeSelect
        size="xs"
        w={170}
        aria-label={say('role_of', { name: member.name })}
        disabled={change.isPending}
        value={member.role}
        data={ROLES.filter((role) => atLeast(organization.role, role)).map((role) => ({
          value: role,
          label: sayCommon(`role_${role}`),
        }))}
        onChange={({ currentTarget: { value } }) => {
          const role = value as Role;
          change.mutate(
            { params: { org_id: organization.id, member_id: member.id }, body: { role: role } },
            {
              onSuccess: () => notifyDone(say('role_changed', { name: member.name, role: sayCommon(`role_${role}`) })),
            },
          );
        }}
      />
      {change.error && <ProblemAlert problem={change.error} />}
    </div>
  );
}

function RemoveDialog({ member, onClose }: { member: MemberRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization();
  const { user } = useSession();
  const navigate = useNavigate();
  const self = member?.user_id === user.id;
  const remove = useAct('removeMember', { refresh: self ? ['readSession'] : ['listMembers'] });
  const name = member?.name ?? '';
  return (
    <ConfirmDialog
      opened={member !== null}
      onClose={onClose}
      title={self ? say('leave_title', { organization: organization.name }) : say('remove_title', { name })}
      act={self ? say('leave') : say('remove')}
      busy={remove.isPending}
      problem={remove.error}
      onAct={() =>
        remove.mutate(
          { params: { org_id: organization.id, member_id: member!.id } },
          {
            onSuccess: () => {
              onClose();
              if (self) void navigate({ to: '/' });
              else notifyDone(say('removed', { name }));
            },
          },
        )
      }
    >
      <Text size="sm">
        {self
          ? say('leave_words')
          : say.rich('remove_words', { name: <bdi>{name}</bdi>, organization: <bdi>{organization.name}</bdi> })}
      </Text>
    </ConfirmDialog>
  );
}
