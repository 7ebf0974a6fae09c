import type { Command } from 'commander';
import { type AgentChange, readChange } from '../agent-file.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';
import { addAgentFolders } from './agent-folders.ts';
import { addAgentReplay } from './agent-replay.ts';
import { addAgentRollout } from './agent-rollout.ts';
import { addAgentTests } from './agent-tests.ts';
import { addAgentVersions } from './agent-versions.ts';

export function addAgentsCommand(program: Command): void {
  const agents = program
    .command('agents')
    .summary('agents that answer in conversations')
    .description('Agents: instructions, model, opening message, steps and rules.');

  const create = agents
    .command('create')
    .description('Creates an agent, empty or from a file.')
    .requiredOption('--name <name>', 'the name of the agent')
    .option('--file <file>', 'the definition of the agent as JSON; "-" is standard input');
  setAction<{ name: string; file?: string }>(create, async ({ api, out }, _args, { name, file }) => {
    const change = file === undefined ? {} : await readChange(file);
    out.record(await api.call('createAgent', { body: { definition: change.definition, name } }));
  });
  examples(create, 'agents create --name Concierge', 'agents create --name Concierge --file agent.json');

  const list = listing(agents.command('list').description('Lists the agents.'));
  setAction<ListOptions>(list, async ({ api, out }, _args, want) =>
    out.list(
      await api.list('listAgents', want),
      [field('id'), field('name'), field('enabled'), field('version'), time('created_at')],
      'No agent yet: ./parley agents create --name NAME',
    ),
  );

  setAction(
    agents.command('show').description('Shows an agent with its definition.').argument('<agent-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readAgent', { ids: { agent_id: id! } })),
  );

  const update = agents
    .command('update')
    .summary('change an agent from a file and publish it')
    .description(
      'Changes an agent from a file and publishes the result. The file contains a definition (instructions, provider, opening, steps, rules, …), or an object with any of name, enabled and definition. The output of "agents show" is accepted too.',
    )
    .argument('<agent-id>')
    .option('--file <file>', 'the change as JSON; "-" is standard input')
    .option('--name <name>', 'a new name')
    .option('--enable', 'enable the agent')
    .option('--disable', 'disable the agent immediately')
    .option('--draft', 'change the draft only; "agents publish" makes it live');
  setAction<UpdateOptions>(update, async ({ api, out }, [id], options) => {
    const body = { ...(await changeOf(options)), ...(options.draft && { publish: false }) };
    out.record(await api.call('updateAgent', { ids: { agent_id: id! }, body }));
  });
  examples(update, 'agents update agent_01jd… --file agent.json', 'agents update agent_01jd… --disable');

  const publish = agents
    .command('publish')
    .description('Publishes the draft of an agent as its next version.')
    .argument('<agent-id>')
    .option('--without-tests <reason>', 'publish although required tests have not passed; the audit log has the reason')
    .option('--not-live', 'add the version without making it live, for "agents rollout" or a trigger');
  setAction<{ withoutTests?: string; notLive?: boolean }>(
    publish,
    async ({ api, out }, [id], { withoutTests, notLive }) => {
      const body = {
        ...(withoutTests !== undefined && { without_tests: withoutTests }),
        ...(notLive && { live: false }),
      };
      out.record(
        await api.call('publishAgent', { ids: { agent_id: id! }, ...(Object.keys(body).length > 0 && { body }) }),
      );
    },
  );
  setAction(
    agents
      .command('secret')
      .summary('create or replace the secret that signs the turns of your own code')
      .description(
        'Creates or replaces the secret that signs the turns of an agent with the provider "http". For 24 hours, turns are also signed with the previous secret.',
      )
      .argument('<agent-id>'),
    async ({ api, out }, [id]) => {
      out.record(await api.call('rotateAgentSecret', { ids: { agent_id: id! } }));
      out.hint('Store the secret now: the secret is not shown again.');
    },
  );
  addAgentVersions(agents);
  addAgentRollout(agents);
  addAgentTests(agents);
  addAgentReplay(agents);
  addAgentFolders(agents);

  const remove = agents
    .command('delete')
    .description('Deletes an agent permanently. Calls with keys of the agent get 404.')
    .argument('<agent-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Agent ${id} with its triggers and channels will be deleted permanently.`);
    await api.call('deleteAgent', { ids: { agent_id: id! } });
    out.record({ id, deleted: true });
  });
  examples(remove, 'agents delete agent_01jd… --yes');
}

type UpdateOptions = { file?: string; name?: string; enable?: boolean; disable?: boolean; draft?: boolean };

async function changeOf(options: UpdateOptions): Promise<AgentChange> {
  if (options.enable && options.disable) throw new Failure('usage_invalid', 'Use either --enable or --disable.');
  const change: AgentChange = options.file === undefined ? {} : await readChange(options.file);
  if (options.name !== undefined) change.name = options.name;
  if (options.enable || options.disable) change.enabled = options.enable === true;
  if (Object.keys(change).length === 0) {
    throw new Failure('usage_invalid', 'Nothing to change: use --file, --name, --enable or --disable.');
  }
  return change;
}
