import { Argument, type Command, Option } from 'commander';
import { ROLES, type Role } from '../../contract/permissions.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

export function addMembersCommand(program: Command): void {
  const members = program
    .command('members')
    .summary('the members of the organization')
    .description('Members: the people of the organization and their roles.');
  setAction<ListOptions>(
    listing(members.command('list').description('Lists the members.')),
    async ({ api, out }, _args, want) =>
      out.list(
        await api.list('listMembers', want),
        [field('id'), field('user_id', 'User'), field('name'), field('email'), field('role'), time('created_at')],
        'No member.',
      ),
  );
  const role = members
    .command('role')
    .description('Changes the role of a member.')
    .argument('<member-id>')
    .addArgument(new Argument('<role>').choices(ROLES));
  setAction(role, async ({ api, out }, [id, chosen]) =>
    out.record(await api.call('setMemberRole', { ids: { member_id: id! }, body: { role: chosen as Role } })),
  );
  examples(role, 'members role member_01jd… admin');
  const remove = members
    .command('remove')
    .description('Removes a member from the organization, with the access tokens of that person.')
    .argument('<member-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Member ${id} will lose access to the organization immediately.`);
    await api.call('removeMember', { ids: { member_id: id! } });
    out.record({ id, removed: true });
  });
}

export function addInvitationsCommand(program: Command): void {
  const invitations = program
    .command('invitations')
    .summary('open invitations to the organization')
    .description('Invitations: links that let a person join the organization.');
  setAction<ListOptions>(
    listing(invitations.command('list').description('Lists the open invitations.')),
    async ({ api, out }, _args, want) =>
      out.list(
        await api.list('listInvitations', want),
        [field('id'), field('email'), field('role'), field('mailed'), time('expires_at', 'Expires')],
        'No open invitation: ./parley invitations create --email ADDRESS --role member',
      ),
  );
  const create = invitations
    .command('create')
    .description(
      'Invites a person. The link is mailed. If the server sends no mail, only this response contains the link.',
    )
    .requiredOption('--email <address>', 'the address of the person')
    .addOption(new Option('--role <role>', 'the role').choices(ROLES).makeOptionMandatory());
  setAction<{ email: string; role: Role }>(create, async ({ api, out }, _args, { email, role }) =>
    out.record(await api.call('invite', { body: { email, role } })),
  );
  examples(create, 'invitations create --email asha@example.com --role member');
  setAction(
    invitations
      .command('renew')
      .description('Makes a new link for an invitation. The previous link stops working.')
      .argument('<invitation-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('renewInvitation', { ids: { invitation_id: id! } })),
  );
  const withdraw = invitations
    .command('withdraw')
    .description('Withdraws an invitation. Its link ends.')
    .argument('<invitation-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(withdraw, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `The link of invitation ${id} will stop working.`);
    await api.call('withdrawInvitation', { ids: { invitation_id: id! } });
    out.record({ id, withdrawn: true });
  });
}
