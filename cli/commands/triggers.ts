import type { Command } from 'commander';
import type { BodyOf } from '../../contract/dashboard/routes.ts';
import { MAX_VERSION } from '../../contract/limits.ts';
import type { VariableDeclaration } from '../../contract/triggers.ts';
import { Failure } from '../failure.ts';
import { parseJson, wholeNumber } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

export function addTriggersCommand(program: Command): void {
  const triggers = program
    .command('triggers')
    .summary('endpoints that start conversations')
    .description('Triggers: endpoints with which a backend starts a conversation. Each trigger belongs to one agent.');

  const create = withSettings(triggers.command('create'))
    .description('Creates a trigger.')
    .requiredOption('--agent <id>', 'the agent that answers')
    .requiredOption('--name <name>', 'the name of the trigger');
  setAction<TriggerOptions & { agent: string; name: string }>(
    create,
    async ({ api, out }, _args, { agent, ...options }) =>
      out.record(
        await api.call('createTrigger', { body: { agent_id: agent, ...settingsOf(options), name: options.name } }),
      ),
  );
  examples(
    create,
    'triggers create --agent agent_01jd… --name "Order update"',
    `triggers create --agent agent_01jd… --name "Order update" \\\n      --variables '[{"name":"order_id","type":"string","required":true}]'`,
  );

  const list = listing(
    triggers.command('list').description('Lists the triggers.').option('--agent <id>', 'only triggers of this agent'),
  );
  setAction<ListOptions & { agent?: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listTriggers', want, { query: { agent_id: agent } }),
      [field('id'), field('name'), field('agent_id', 'Agent'), field('enabled'), time('created_at')],
      'No trigger yet: ./parley triggers create --agent ID --name NAME',
    ),
  );

  setAction(
    triggers.command('show').description('Shows a trigger.').argument('<trigger-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readTrigger', { ids: { trigger_id: id! } })),
  );

  const update = withSettings(triggers.command('update'))
    .description('Changes a trigger.')
    .argument('<trigger-id>')
    .option('--name <name>', 'a new name')
    .option('--enable', 'accept calls')
    .option('--disable', 'refuse calls immediately');
  setAction<TriggerOptions>(update, async ({ api, out }, [id], options) => {
    const change = settingsOf(options);
    if (Object.keys(change).length === 0) throw new Failure('usage_invalid', 'Nothing to change: see --help.');
    out.record(await api.call('updateTrigger', { ids: { trigger_id: id! }, body: change }));
  });
  examples(update, 'triggers update trigger_01jd… --disable');

  const remove = triggers
    .command('delete')
    .description('Deletes a trigger permanently.')
    .argument('<trigger-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Trigger ${id} will be deleted permanently.`);
    await api.call('deleteTrigger', { ids: { trigger_id: id! } });
    out.record({ id, deleted: true });
  });
}

type TriggerOptions = {
  name?: string;
  variables?: string;
  channel?: string;
  agentVersion?: string;
  enable?: boolean;
  disable?: boolean;
};

const versionNumber = wholeNumber('--agent-version', 1, MAX_VERSION);

const withSettings = (command: Command): Command =>
  command
    .option('--variables <json>', 'variables of the call: a list of {name, type, required, default, description}')
    .option('--channel <id>', 'where the conversations happen; "none" means the sandbox channel of the agent')
    .option('--agent-version <n>', 'the version of the agent that answers; "live" means the live one, or a rollout');

function settingsOf(options: TriggerOptions): BodyOf<'updateTrigger'> {
  const { name, variables, channel, agentVersion, enable, disable } = options;
  if (enable && disable) throw new Failure('usage_invalid', 'Use either --enable or --disable.');
  return {
    ...(name !== undefined && { name }),
    ...(variables !== undefined && { variables: parseJson(variables, '--variables') as VariableDeclaration[] }),
    ...(channel !== undefined && { channel_id: channel === 'none' ? null : channel }),
    ...(agentVersion !== undefined && {
      agent_version: agentVersion === 'live' ? null : versionNumber(agentVersion),
    }),
    ...((enable || disable) && { enabled: enable === true }),
  };
}
