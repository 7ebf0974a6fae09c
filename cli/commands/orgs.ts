import { Argument, type Command, Option } from 'commander';
import { type Plan, PLANS } from '../../contract/permissions.ts';
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../../contract/limits.ts';
import { Failure } from '../failure.ts';
import { wholeNumber } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';
import { addOrgSignInCommands } from './org-sign-in.ts';
import { addMoveCommand } from './server.ts';

export function addOrgsCommand(program: Command): void {
  const orgs = program
    .command('orgs')
    .summary('organizations and their plans')
    .description('Organizations: the tenants of this installation.');

  const create = orgs
    .command('create')
    .description(
      'Creates an organization with you as its owner. The organization starts on the free plan, unless the operator chooses the paid plan.',
    )
    .requiredOption('--name <name>', 'the name of the organization')
    .addOption(new Option('--plan <plan>', 'only the operator may choose').choices(PLANS))
    .option('--owner-email <address>', 'only for the operator: invite another person as its owner')
    .option('--time-zone <zone>', 'the time zone of its team, e.g. Asia/Qatar');
  setAction<{ name: string; plan?: Plan; ownerEmail?: string; timeZone?: string }>(
    create,
    async ({ api, out }, _args, { name, plan, ownerEmail, timeZone }) => {
      const body = { name, plan, owner_email: ownerEmail, time_zone: timeZone };
      out.record(await api.call('createOrganization', { body }));
    },
  );
  examples(create, 'orgs create --name "Qatar Air Cargo"', 'orgs create --name Demo --plan paid');

  const list = listing(orgs.command('list').description('Lists your organizations.')).option(
    '--installation',
    'only for the operator: all organizations of the installation, with their cells if there are several',
  );
  setAction<ListOptions & { installation?: boolean }>(list, async ({ api, out }, _args, { installation, ...want }) => {
    const page = await api.list('listOrganizations', want, installation ? { query: { all: true } } : {});
    const columns = [field('id'), field('name'), field('plan'), field('role'), time('created_at')];
    const hasCells = page.data.some(({ cell }) => cell !== undefined);
    out.list(
      page,
      hasCells
        ? [...columns, { title: 'Cell', of: ({ cell }) => (cell as { name: string } | undefined)?.name }]
        : columns,
      'No organization yet: ./parley orgs create --name NAME',
    );
  });
  examples(list, 'orgs list', 'orgs list --installation --all');

  const update = orgs
    .command('update')
    .description('Renames an organization, or sets the time zone of its team.')
    .argument('<org-id>', 'the organization')
    .option('--name <name>', 'the new name of the organization')
    .option('--time-zone <zone>', 'the time zone, e.g. Asia/Qatar');
  setAction<{ name?: string; timeZone?: string }>(update, async ({ api, out }, [id], { name, timeZone }) => {
    if (name === undefined && timeZone === undefined)
      throw new Failure('usage_invalid', 'Nothing to change: use --name or --time-zone.');
    const body = { ...(name !== undefined && { name }), ...(timeZone !== undefined && { time_zone: timeZone }) };
    out.record(await api.call('updateOrganization', { ids: { org_id: id! }, body }));
  });
  examples(update, 'orgs update org_01jd… --time-zone Asia/Qatar');

  const plan = orgs
    .command('plan')
    .description('Changes the plan of an organization. Only the operator of the installation may use this command.')
    .argument('<org-id>', 'the organization')
    .addArgument(new Argument('<plan>', 'free or paid').choices(PLANS));
  setAction(plan, async ({ api, out }, [id, chosen]) => {
    out.record(await api.call('setPlan', { ids: { org_id: id! }, body: { plan: chosen as Plan } }));
  });
  examples(plan, 'orgs plan org_01jd… paid');

  const retention = orgs
    .command('retention')
    .description(
      `Shows or sets how long conversations are kept. After this number of days without activity (${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS}), conversations are erased permanently, and active conversations lose their older messages. Conversations that wait for the team stay. "off" keeps everything. Only owners may set the retention.`,
    )
    .argument('<org-id>', 'the organization')
    .argument('[days]', 'days, or off')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(retention, async ({ api, out }, [id, text], { yes }) => {
    const ids = { org_id: id! };
    if (text === undefined) return out.record(await api.call('readRetention', { ids }));
    const days = text === 'off' ? null : wholeNumber('DAYS', MIN_RETENTION_DAYS, MAX_RETENTION_DAYS)(text);
    const before = (await api.call('readRetention', { ids })).days;
    if (days !== null && (before === null || days < before)) {
      const { conversations, more } = await api.call('previewRetention', { ids, query: { days } });
      const many = `${more ? 'At least' : 'About'} ${conversations} conversations`;
      await confirm(yes, `${many} of ${id} will be erased for good, and from now on whatever is ${days} days old.`);
    }
    out.record(await api.call('setRetention', { ids, body: { days } }));
  });
  examples(retention, 'orgs retention org_01jd…', 'orgs retention org_01jd… 365', 'orgs retention org_01jd… off');

  addMoveCommand(orgs);
  addOrgSignInCommands(orgs);
}
